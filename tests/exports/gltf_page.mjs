// node gltf_page.mjs MODULES FOLDER: FOLDER/frames.glb in a page of Chromium, drawn by three.js with a texture, at several
// times. What is drawn stands where the points of frames.pc2 are at that time, in both colours of the texture.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { createRequire } from 'node:module'

const [modules, folder] = process.argv.slice(2)
const { chromium } = createRequire(path.resolve(modules, 'x.js'))('playwright-core')
const size = 256 // pixels

function fail(...words) {
    console.error('page:', ...words)
    process.exit(1)
}

// ---- a page with three.js --------------------------------------------------------------------------------------------

const imports = JSON.stringify({ imports: { three: '/three/build/three.module.js', loader: '/three/examples/jsm/loaders/GLTFLoader.js' } })
const page = `<script type="importmap">${imports}</script>
<script type="module">
import * as THREE from 'three'
import { GLTFLoader } from 'loader'
Object.assign(window, { THREE, GLTFLoader })
</script>`
const server = http.createServer((request, response) => {
    const name = new URL(request.url, 'http://x').pathname
    const file = name === '/frames.glb' ? path.join(folder, name) : path.join(modules, path.normalize(name))
    if (name === '/') response.setHeader('Content-Type', 'text/html').end(page)
    else if (name === '/favicon.ico') response.writeHead(204).end()
    else if (!fs.existsSync(file)) response.writeHead(404).end()
    else response.setHeader('Content-Type', name.endsWith('.js') ? 'text/javascript' : 'model/gltf-binary').end(fs.readFileSync(file))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: '--no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(' '),
})
const tab = await browser.newPage()
const said = []
tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && said.push(message.text()))
tab.on('pageerror', (error) => said.push(String(error)))
await tab.goto('http://127.0.0.1:' + server.address().port + '/')
await tab.waitForFunction(() => window.GLTFLoader !== undefined)

// a flat camera from the front, so that a metre has the same pixels everywhere; colours of the texture without light
async function draw(times) {
    return tab.evaluate(
        async ([times, size]) => {
            const { THREE, GLTFLoader } = window
            const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true })
            renderer.setSize(size, size, false)
            const gltf = await new GLTFLoader().loadAsync('/frames.glb')
            const texels = new Uint8Array(64 * 4)
            for (let i = 0; i < 64; ++i) texels.set((i + (i >> 3)) % 2 ? [255, 0, 0, 255] : [0, 255, 0, 255], 4 * i)
            const texture = new THREE.DataTexture(texels, 8, 8)
            texture.needsUpdate = true
            let keys = 0
            gltf.scene.traverse((part) => {
                if (!part.geometry) return
                part.material = new THREE.MeshBasicMaterial({ map: texture })
                keys = part.morphTargetInfluences.length + 1
            })
            const scene = new THREE.Scene()
            scene.add(gltf.scene)
            const camera = new THREE.OrthographicCamera(-0.5, 0.5, 0.9, -0.1, 0.1, 10)
            camera.position.set(0, 0, 5)
            const mixer = new THREE.AnimationMixer(gltf.scene)
            const action = mixer.clipAction(gltf.animations[0]).play()
            action.setLoop(THREE.LoopOnce)
            action.clampWhenFinished = true
            const gl = renderer.getContext()
            const seen = []
            for (const time of times) {
                mixer.setTime(time)
                renderer.render(scene, camera)
                const pixels = new Uint8Array(4 * size * size)
                gl.readPixels(0, 0, size, size, gl.RGBA, gl.UNSIGNED_BYTE, pixels)
                const box = { low: [size, size], high: [-1, -1], red: 0, green: 0 }
                for (let i = 0; i < size * size; ++i) {
                    if (pixels[4 * i] + pixels[4 * i + 1] < 40) continue
                    box[pixels[4 * i] > pixels[4 * i + 1] ? 'red' : 'green'] += 1
                    for (const [c, at] of [i % size, Math.floor(i / size)].entries()) {
                        box.low[c] = Math.min(box.low[c], at)
                        box.high[c] = Math.max(box.high[c], at)
                    }
                }
                seen.push(box)
            }
            return { seen, keys, error: gl.getError(), duration: gltf.animations[0].duration }
        },
        [times, size],
    )
}

// ---- the record ------------------------------------------------------------------------------------------------------

const bytes = fs.readFileSync(path.join(folder, 'frames.pc2'))
const points = bytes.readUInt32LE(16)
const frames = bytes.readUInt32LE(28)
const shown = [0, 12, 30, Math.floor(frames / 2), frames - 1]
const { seen, keys, error, duration } = await draw(shown.map((frame) => frame / 60))
if (said.length > 0 || error !== 0) fail('the browser says', said, error)
for (const [i, frame] of shown.entries()) {
    const low = [Infinity, Infinity]
    const high = [-Infinity, -Infinity]
    for (let p = 0; p < points; ++p)
        for (let c = 0; c < 2; ++c) {
            const at = bytes.readFloatLE(32 + 12 * (frame * points + p) + 4 * c)
            const pixel = size * (at + (c === 0 ? 0.5 : 0.1))
            low[c] = Math.min(low[c], pixel)
            high[c] = Math.max(high[c], pixel)
        }
    const box = seen[i]
    for (let c = 0; c < 2; ++c)
        if (Math.abs(box.low[c] - low[c]) > 2 || Math.abs(box.high[c] + 1 - high[c]) > 2)
            fail('frame', frame, 'stands at', box, 'want', low, high)
    if (box.red < 100 || box.green < 100) fail('frame', frame, 'has', box.red, 'and', box.green, 'pixels of the two colours')
}
console.log(`page: Chromium plays ${keys} keys of ${frames} frames (${duration.toFixed(2)} s) with their texture coordinates`)
await browser.close()
server.close()
