// node usd.mjs FOLDER MODULES RIGID CHANGED...: the USD layers of FOLDER as OpenUSD reads them (WebAssembly from the package
// three-usdz-loader, in Chromium), compared with truth.txt; also every state a killed process may leave behind.
// Rigid bodies of the folder RIGID are compared with the poses in frames_rigid.csv, fluids with the PLY files of their
// particles. The folders CHANGED have a body each whose mesh changes: in every frame one prim of it is visible, with the
// triangles of the OBJ file of the frame at its points.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { createRequire } from 'node:module'

const [folder, modules, rigid, ...changed] = process.argv.slice(2)
const { chromium } = createRequire(path.resolve(modules, 'x.js'))('playwright-core')
const tolerance = 2e-6 // float32 at coordinates up to 5 m

const known = new Map()
for (const line of fs.readFileSync(path.join(folder, 'truth.txt'), 'utf8').trim().split('\n')) {
    const words = line.split(' ')
    const key = words[0] + ' ' + words[1]
    if (!known.has(key)) known.set(key, [])
    if (words[10] === '1') known.get(key).push(...words.slice(4, 7).map(Number))
}
const last = Math.max(...[...known.keys()].map((key) => parseInt(key)))

// ---- a page with OpenUSD ---------------------------------------------------------------------------------------------

const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' }
const server = http.createServer((request, response) => {
    const name = new URL(request.url, 'http://x').pathname
    const file = path.join(modules, 'three-usdz-loader/external', path.basename(name))
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
    if (name === '/') response.setHeader('Content-Type', 'text/html').end('<script src="/emHdBindings.js"></script>')
    else if (!fs.existsSync(file)) response.writeHead(404).end()
    else response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream').end(fs.readFileSync(file))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(' '),
})

function fail(...words) {
    console.error('usd:', ...words)
    process.exit(1)
}

// Opens a stage made of some files and draws it at some times: the points of every prim at each.
async function read(page, files, root, times) {
    const texts = files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])
    return page.evaluate(
        async ([texts, root, times]) => {
            window.usd ??= await window.getUsdModule(undefined, '', undefined)
            await window.usd.ready
            const place = '/s' + (window.count = (window.count ?? 0) + 1)
            window.usd.FS.mkdir(place)
            for (const [name, text] of texts)
                window.usd.FS.writeFile(place + '/' + name, Uint8Array.from(atob(text), (c) => c.charCodeAt(0)))
            const points = {}
            const prim = (id) => new Proxy({}, {
                get: (_, name) =>
                    name === 'updatePoints' ? (p) => (points[id] = Array.from(p))
                    : name === 'updateIndices' ? (p) => (points[id + ' indices'] = Array.from(p))
                    : name === 'setTransform' ? (m) => (points[id + ' transform'] = Array.from(m))
                    : () => undefined,
            })
            const view = { createRPrim: (type, id) => prim(id), createBPrim: () => undefined, createSPrim: () => prim(''), CommitResources: () => undefined }
            const driver = new window.usd.HdWebSyncDriver(view, place + '/' + root)
            const stage = driver.GetStage()
            const result = { end: stage.GetEndTimeCode(), rate: stage.GetTimeCodesPerSecond(), text: stage.ExportToString(), at: [] }
            for (const time of times) {
                driver.SetTime(time)
                driver.Draw()
                result.at.push({ ...points })
            }
            return result
        },
        [texts, root, times],
    )
}

function compare(what, points, frame, body) {
    const want = known.get(frame + ' ' + body)
    if (points?.length !== want.length) fail(what, 'has', points?.length, 'numbers, want', want.length)
    for (let i = 0; i < want.length; ++i)
        if (!(Math.abs(points[i] - want[i]) <= tolerance)) fail(what, 'number', i, 'is', points[i], 'want', want[i])
}

const load = (name, from = folder) => [name, fs.readFileSync(path.join(from, name))]
const page = await browser.newPage()
await page.goto('http://127.0.0.1:' + server.address().port + '/')

// ---- the finished record -----------------------------------------------------------------------------------------------

const names = ['jelly', '___esc_ape', 'Jelly_3']
const frames = [0, 1, 7, last]
const all = ['frames.usda', ...names.map((name) => 'frames-' + name + '.usda')].map((name) => load(name))
const stage = await read(page, all, 'frames.usda', frames)
if (stage.end !== last || stage.rate !== 64) fail('end', stage.end, 'rate', stage.rate)
for (const [body, name] of names.entries())
    frames.forEach((frame, i) => compare(name + ' at frame ' + frame, stage.at[i]['/World/' + name], frame, body))

// ---- what a killed process leaves ----------------------------------------------------------------------------------------

const bytes = load('frames-jelly.usda')[1]
const line = bytes.lastIndexOf('\n  ' + last + ': [') + 1
const patch = (buffer, at, text) => Buffer.concat([buffer.subarray(0, at), Buffer.from(text), buffer.subarray(at + text.length)])
const open = patch(bytes, bytes.length - 4, '};}\n')
const hidden = patch(open, line - 4, '}\n}\n#')
const states = [[bytes, last], [open, last], [hidden, last - 1]]
for (const part of [1, 2, 3, 9, 100, 1000, hidden.length - line - 1]) states.push([hidden.subarray(0, line + part), last - 1])
for (const [state, frame] of states) {
    const seen = await read(page, [['x.usda', state]], 'x.usda', [0, frame, frame + 1])
    compare('state of ' + state.length + ' bytes', seen.at[1]['/jelly'], frame, 0)
    compare('state of ' + state.length + ' bytes, held', seen.at[2]['/jelly'], frame, 0)
}
// ---- rigid bodies --------------------------------------------------------------------------------------------------------

const rows = fs.readFileSync(path.join(rigid, 'frames_rigid.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number))
const poses = rows.map((row) => row.slice(2))
const count = poses[0].length / 7
const times = [0, 1, 7, poses.length - 1]
const layers = ['frames.usda', 'frames_rigid.usda'].map((name) => load(name, rigid))
const whole = await read(page, layers, 'frames_rigid.usda', times)
if (whole.end !== poses.length - 1 || whole.rate !== 60) fail('rigid bodies end at', whole.end, 'rate', whole.rate)
if (!(whole.at[0]['/World/soft/bodies']?.length > 0)) fail('the soft bodies are not in', Object.keys(whole.at[0]))
for (let i = 0; i < count; ++i)
    times.forEach((frame, k) => {
        const [x, y, z, w, a, b, c] = poses[frame].slice(7 * i, 7 * i + 7)
        const name = '/World/rigid_' + i + '/shape'
        const m = whole.at[k][name + ' transform'] // rows are the images of the axes
        const want = [1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b), 0, 2 * (a * b - w * c), 1 - 2 * (a * a + c * c),
            2 * (b * c + w * a), 0, 2 * (a * c + w * b), 2 * (b * c - w * a), 1 - 2 * (a * a + b * b), 0, x, y, z, 1]
        if (m?.length !== 16 || !(whole.at[k][name]?.length > 0)) fail(name, 'has no transform or no points')
        for (let j = 0; j < 16; ++j)
            if (!(Math.abs(m[j] - want[j]) <= 5 * tolerance)) // of small angles OpenUSD takes the arc cosine in float
                fail(name, 'at frame', frame, 'number', j, 'is', m[j], 'want', want[j])
    })
console.log('usd: ' + count + ' rigid bodies agree')

// places in the order of the ids
function particles(fluid, frame) {
    const bytes = fs.readFileSync(path.join(rigid, `frames-fluid-${fluid}_${String(frame).padStart(6, '0')}.ply`))
    const rows = []
    for (let at = bytes.indexOf('end_header\n') + 11; at < bytes.length; at += 28)
        rows.push([bytes.readUInt32LE(at + 24), ...[0, 4, 8].map((c) => bytes.readFloatLE(at + c))])
    return rows.sort((a, b) => a[0] - b[0]).flatMap((row) => row.slice(1))
}

const fluids = await read(page, [...layers, load('frames_fluid.usda', rigid)], 'frames_fluid.usda', times)
if (fluids.end !== poses.length - 1 || fluids.rate !== 60) fail('fluids end at', fluids.end, 'rate', fluids.rate)
if (!(fluids.at[0]['/World/rigid/bodies/rigid_0/shape']?.length > 0)) fail('the rigid bodies are not in', Object.keys(fluids.at[0]))
for (const fluid of [0, 1])
    times.forEach((frame, k) => {
        const found = fluids.at[k]['/World/fluid_' + fluid] ?? []
        const want = particles(fluid, frame)
        if (found.length !== want.length) fail('fluid', fluid, 'has', found.length, 'numbers in frame', frame, 'want', want.length)
        for (let i = 0; i < want.length; ++i)
            if (!(Math.abs(found[i] - want[i]) <= tolerance)) fail('fluid', fluid, 'number', i, 'is', found[i], 'want', want[i])
    })
console.log('usd: 2 fluids agree')
console.log('usd: the stage, ' + names.length + ' bodies and ' + states.length + ' unfinished states agree')

// ---- meshes that change ----------------------------------------------------------------------------------------------------

// the visibility that OpenUSD has of a prim, as a function of the frame
function visibility(text, name) {
    const prim = text.slice(text.search(new RegExp(`def (Mesh|BasisCurves) "${name}"`)))
    const samples = prim.match(/visibility\.timeSamples = \{([^}]*)\}/)
    const end = prim.slice(1).search(/\n *def (Mesh|BasisCurves) "/)
    if (!samples || (end >= 0 && samples.index > end)) return () => true
    const rows = [...samples[1].matchAll(/(\d+): "(\w+)"/g)].map((row) => [Number(row[1]), row[2] === 'inherited'])
    return (frame) => rows.filter((row) => row[0] <= frame).pop()[1]
}

for (const from of changed) {
    const files = fs.readdirSync(from)
    const objs = files.filter((name) => /^frames_\d{6}\.obj$/.test(name)).sort()
    const frames = objs.map((_, frame) => frame)
    const layers = files.filter((name) => name.endsWith('.usda')).map((name) => load(name, from))
    const stage = await read(page, layers, 'frames.usda', frames)
    const prims = Object.keys(stage.at[0]).filter((id) => /^\/[^/ ]+$/.test(id) || /^\/World\/[^/ ]+$/.test(id))
    const shows = prims.map((id) => visibility(stage.text, id.split('/').pop()))
    const seen = new Set()
    if (stage.end !== objs.length - 1) fail(from, 'ends at', stage.end)
    for (const frame of frames) {
        const points = []
        const want = []
        for (const line of fs.readFileSync(path.join(from, objs[frame]), 'utf8').split('\n')) {
            const words = line.split(' ')
            if (words[0] === 'v') points.push(words.slice(1).map(Number))
            if (words[0] === 'f') want.push(...words.slice(1).map((word) => parseInt(word) - 1))
        }
        const shown = prims.filter((_, i) => shows[i](frame))
        if (shown.length !== 1) fail(from, 'frame', frame, 'shows', shown.length, 'of', prims.length, 'prims')
        seen.add(shown[0])
        const found = stage.at[frame][shown[0]]
        const index = stage.at[frame][shown[0] + ' indices']
        if (found.length !== 3 * points.length) fail(from, 'frame', frame, 'has', found.length / 3, 'points, want', points.length)
        if (index.length !== want.length) fail(from, 'frame', frame, 'has', index.length / 3, 'triangles, want', want.length / 3)
        for (let i = 0; i < want.length; ++i)
            for (let c = 0; c < 3; ++c)
                if (!(Math.abs(found[3 * index[i] + c] - points[want[i]][c]) <= tolerance)) fail(from, 'frame', frame, 'corner', i)
    }
    if (seen.size !== prims.length || seen.size < 2) fail(from, 'shows', seen.size, 'of', prims.length, 'prims')
    console.log('usd: ' + seen.size + ' meshes of a body are shown one after the other in ' + frames.length + ' frames')
}
await browser.close()
server.close()
