// node changed_gltf.mjs MODULES FOLDER TOLERANCE: FOLDER/frames.glb of one body whose mesh changes, as three.js plays it. In
// every frame one mesh is shown, with the triangles of the OBJ file of the frame at its points within TOLERANCE m.
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [modules, folder, tolerance] = process.argv.slice(2)
globalThis.self = globalThis // what browsers call themselves
const from = createRequire(path.resolve(modules, 'x.js'))
const THREE = await import(pathToFileURL(path.join(path.dirname(from.resolve('three')), 'three.module.js')))
const { GLTFLoader } = await import(pathToFileURL(from.resolve('three/examples/jsm/loaders/GLTFLoader.js')))

function fail(...words) {
    console.error('gltf:', ...words)
    process.exit(1)
}

// the corners of all triangles
function corners(frame) {
    const points = []
    const rows = []
    for (const line of fs.readFileSync(path.join(folder, `frames_${String(frame).padStart(6, '0')}.obj`), 'utf8').split('\n')) {
        const words = line.split(' ')
        if (words[0] === 'v') points.push(words.slice(1).map(Number))
        if (words[0] === 'f') rows.push(...words.slice(1).map((word) => points[parseInt(word) - 1]))
    }
    return { count: points.length, rows }
}

const bytes = fs.readFileSync(path.join(folder, 'frames.glb'))
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
const gltf = await new Promise((resolve, reject) => new GLTFLoader().parse(data, '', resolve, reject))
const mixer = new THREE.AnimationMixer(gltf.scene)
const action = mixer.clipAction(gltf.animations[0]).play()
action.setLoop(THREE.LoopOnce)
action.clampWhenFinished = true
const times = fs.readFileSync(path.join(folder, 'ledger.csv'), 'utf8').trim().split('\n').slice(1).map((line) => Number(line.split(',')[1]))
const bodies = gltf.scene.children.filter((node) => node.isMesh && !node.name.startsWith('rigid_'))
const seen = new Set()
let worst = 0
for (const [frame, time] of times.entries()) {
    // times are floats in the file: a little later is on the same side of a step
    mixer.setTime(Math.min(time + 1e-5, gltf.animations[0].duration))
    const shown = bodies.filter((node) => node.scale.x !== 0)
    if (shown.length !== 1) fail('frame', frame, 'shows', shown.length, 'meshes')
    const [mesh] = shown
    seen.add(mesh.name)
    const want = corners(frame)
    const index = mesh.geometry.index
    if (index.count !== want.rows.length) fail('frame', frame, 'has', index.count / 3, 'triangles, want', want.rows.length / 3)
    if (mesh.geometry.attributes.position.count < want.count) fail('frame', frame, 'has too few vertices')
    const at = new THREE.Vector3()
    for (let i = 0; i < index.count; ++i) {
        mesh.getVertexPosition(index.getX(i), at)
        at.toArray().forEach((x, c) => (worst = Math.max(worst, Math.abs(x - want.rows[i][c]))))
    }
}
if (!(worst <= Number(tolerance))) fail('points are off by', worst, 'm')
if (seen.size !== bodies.length || seen.size < 2) fail(seen.size, 'of', bodies.length, 'meshes were shown')
console.log(`gltf: three.js shows ${seen.size} meshes of a body one after the other in ${times.length} frames, within ${worst.toPrecision(2)} m`)
