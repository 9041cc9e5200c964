// node gltf.mjs MODULES FOLDER...: FOLDER/frames.glb as three.js plays it, at the time of every frame and between two,
// compared with the point caches and the texture coordinates of the OBJ files beside it.
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [modules, ...folders] = process.argv.slice(2)
globalThis.self = globalThis // what browsers call themselves
const from = createRequire(path.resolve(modules, 'x.js'))
const THREE = await import(pathToFileURL(path.join(path.dirname(from.resolve('three')), 'three.module.js')))
const { GLTFLoader } = await import(pathToFileURL(from.resolve('three/examples/jsm/loaders/GLTFLoader.js')))

function fail(...words) {
    console.error('gltf:', ...words)
    process.exit(1)
}

function record(folder, stem) {
    const bytes = fs.readFileSync(path.join(folder, stem + '.pc2'))
    const points = bytes.readUInt32LE(16)
    const frames = bytes.readUInt32LE(28)
    const at = (frame, point) => [0, 4, 8].map((c) => bytes.readFloatLE(32 + 12 * (frame * points + point) + c))
    const lines = fs.readFileSync(path.join(folder, stem + '.obj'), 'utf8').split('\n')
    const rows = lines.filter((line) => line.startsWith('vt ')).map((line) => line.split(' ').slice(1).map(Number))
    const corners = new Set()
    for (const line of lines.filter((line) => line.startsWith('f ')))
        for (const word of line.split(' ').slice(1)) {
            const [point, row] = word.split('/').map(Number)
            if (row > 0) corners.add([point - 1, rows[row - 1][0].toFixed(5), (1 - rows[row - 1][1]).toFixed(5)].join(' '))
        }
    return { frames, points, at, corners }
}

// as the shader does it, for meshes and for lines
function morphed(part, v, place) {
    place.fromBufferAttribute(part.geometry.attributes.position, v)
    const change = new THREE.Vector3()
    part.geometry.morphAttributes.position.forEach((target, i) => {
        const weight = part.morphTargetInfluences[i]
        if (weight !== 0) place.addScaledVector(change.fromBufferAttribute(target, v), weight)
    })
    if (!part.geometry.morphTargetsRelative) fail('targets are no differences')
}

// a node whose parts are one body
function check(folder, node, mixer, frameTime, tolerance) {
    const stem = fs.existsSync(path.join(folder, 'frames.pc2')) ? 'frames' : 'frames-' + node.name
    const { frames, points, at, corners } = record(folder, stem)
    const number = new Map()
    for (let p = 0; p < points; ++p) number.set(at(0, p).map(Math.fround).join(' '), p)
    const parts = []
    node.traverse((part) => part.geometry && parts.push(part))
    const seen = new Set()
    let worst = 0
    const place = new THREE.Vector3()
    const times = [0, 1, 2.5, frames / 3, frames / 2, frames - 1.5, frames - 1]
    for (const time of times) {
        mixer.setTime(Math.min(time, frames - 1 - 1e-4) * frameTime)
        const before = Math.min(Math.floor(time), frames - 2)
        for (const part of parts) {
            const position = part.geometry.attributes.position
            const index = part.geometry.index.array
            for (const v of new Set(index)) {
                const first = [position.getX(v), position.getY(v), position.getZ(v)]
                const p = number.get(first.join(' '))
                if (p === undefined) fail(node.name, 'vertex', v, 'is no point of frame 0')
                morphed(part, v, place)
                const a = at(before, p)
                const b = at(before + 1, p)
                for (let c = 0; c < 3; ++c) {
                    const want = a[c] + (time - before) * (b[c] - a[c])
                    worst = Math.max(worst, Math.abs(place.getComponent(c) - want))
                }
                const uv = part.geometry.attributes.uv
                if (uv) seen.add([p, uv.getX(v).toFixed(5), uv.getY(v).toFixed(5)].join(' '))
            }
        }
    }
    if (!(worst <= tolerance)) fail(folder, node.name, 'is', worst, 'm away from the record')
    if (corners.size !== seen.size || [...corners].some((corner) => !seen.has(corner)))
        fail(node.name, 'has', seen.size, 'texture coordinates, want', corners.size, [...seen][0], [...corners][0])
    return { frames, worst }
}

for (const folder of folders) {
    const bytes = fs.readFileSync(path.join(folder, 'frames.glb'))
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    const gltf = await new Promise((resolve, reject) => new GLTFLoader().parse(data, '', resolve, reject))
    const [clip] = gltf.animations
    const mixer = new THREE.AnimationMixer(gltf.scene)
    const action = mixer.clipAction(clip).play()
    action.setLoop(THREE.LoopOnce)
    action.clampWhenFinished = true
    let most = 0
    for (const node of gltf.scene.children) {
        const stem = fs.existsSync(path.join(folder, 'frames.pc2')) ? 'frames' : 'frames-' + node.name
        const frames = record(folder, stem).frames
        mixer.setTime(0)
        most = Math.max(most, check(folder, node, mixer, clip.duration / (frames - 1), 6e-4).worst)
    }
    console.log(`gltf: three.js plays ${gltf.scene.children.length} bodies for ${clip.duration.toFixed(3)} s, within ${most.toExponential(1)} m`)
}
