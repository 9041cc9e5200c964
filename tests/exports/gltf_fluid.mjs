// node gltf_fluid.mjs MODULES FOLDER: the fluids of FOLDER/frames.glb as three.js plays them, at every frame, compared with the
// PLY files of the particles beside it.
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [modules, folder] = process.argv.slice(2)
globalThis.self = globalThis // what browsers call themselves
const from = createRequire(path.resolve(modules, 'x.js'))
const THREE = await import(pathToFileURL(path.join(path.dirname(from.resolve('three')), 'three.module.js')))
const { GLTFLoader } = await import(pathToFileURL(from.resolve('three/examples/jsm/loaders/GLTFLoader.js')))

function fail(...words) {
    console.error('gltf:', ...words)
    process.exit(1)
}

// places in the order of the ids
function particles(fluid, frame) {
    const bytes = fs.readFileSync(path.join(folder, `frames-fluid-${fluid}_${String(frame).padStart(6, '0')}.ply`))
    const head = bytes.indexOf('end_header\n') + 11
    const rows = []
    for (let at = head; at < bytes.length; at += 28)
        rows.push([bytes.readUInt32LE(at + 24), ...[0, 4, 8].map((c) => bytes.readFloatLE(at + c))])
    return rows.sort((a, b) => a[0] - b[0]).flatMap((row) => row.slice(1))
}

const bytes = fs.readFileSync(path.join(folder, 'frames.glb'))
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
const gltf = await new Promise((resolve, reject) => new GLTFLoader().parse(data, '', resolve, reject))
const mixer = new THREE.AnimationMixer(gltf.scene)
const action = mixer.clipAction(gltf.animations[0]).play()
action.setLoop(THREE.LoopOnce)
action.clampWhenFinished = true
const frames = fs.readdirSync(folder).filter((name) => /^frames-fluid-0_\d+\.ply$/.test(name)).length
const roots = gltf.scene.children.filter((node) => /^fluid_\d+$/.test(node.name))
if (roots.length !== 2) fail('there are', roots.length, 'fluids')
for (let frame = 0; frame < frames; ++frame) {
    mixer.setTime(Math.min((frame + 0.25) / 60, gltf.animations[0].duration))
    roots.forEach((root, fluid) => {
        const seen = root.children.filter((node) => node.scale.x !== 0)
        const want = particles(fluid, frame)
        const place = seen[0]?.geometry.attributes.position
        if (seen.length !== (want.length > 0 ? 1 : 0)) fail('frame', frame, 'of fluid', fluid, 'shows', seen.length, 'sets')
        if (seen.length === 0) return
        if (!seen[0].isPoints || 3 * place.count !== want.length) fail('frame', frame, 'has', place.count, 'points')
        for (let i = 0; i < want.length; ++i)
            if (place.array[i] !== want[i]) fail('frame', frame, 'number', i, 'is', place.array[i], 'want', want[i])
    })
}
console.log(`gltf: three.js plays ${roots.length} fluids for ${frames} frames`)
