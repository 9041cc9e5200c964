// Makes web/dist: the bundled page, the engine, the scenes of the gallery with a picture each.
//   node build.mjs BUILD     BUILD: the folder of the native build (BUILD/verve draws the pictures) and of the engine
//                            (BUILD/wasm/web/engine.*)
import { build, transformSync } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { thumbnail } from './thumbnail.mjs';

const here = dirname(fileURLToPath(import.meta.url)), root = dirname(here);
const native = resolve(process.argv[2] ?? join(root, 'build')), dist = join(here, 'dist');
const LIMIT = 2e6; // bytes that a visitor loads up to the first moving picture (web/test/page.mjs measures it)
const SEEN = 16;   // pictures of the gallery on a large screen; the others are loaded when one scrolls to them
const quick = process.argv[3] === 'quick'; // while one works on it: any size

rmSync(dist, { recursive: true, force: true });
for (const folder of ['', 'scenes', 'pictures']) mkdirSync(join(dist, folder), { recursive: true });

// ---- scripts --------------------------------------------------------------------------------------------------------

const options = { bundle: true, minify: true, target: 'es2022', legalComments: 'none', logLevel: 'warning', absWorkingDir: here };
await build({ ...options, entryPoints: { main: 'src/main.ts' }, outdir: dist, format: 'esm' });
writeFileSync(join(dist, 'main.js.gz'), gzipSync(readFileSync(join(dist, 'main.js')), { level: 9 }));
rmSync(join(dist, 'main.js'));
await build({ ...options, entryPoints: { boot: 'src/boot.ts' }, outdir: dist, format: 'esm' });
await build({ ...options, entryPoints: { worker: 'src/worker.ts' }, outdir: dist, format: 'iife' });
await build({ ...options, entryPoints: { theme: 'src/theme.ts' }, outdir: dist, format: 'iife' });
if (existsSync(join(here, 'src/element.ts'))) await build({ ...options, entryPoints: { 'verve-scene': 'src/element.ts' }, outdir: dist, format: 'iife' });
// the report of make figures, where it was made, with a link from the gallery
const report = join(native, 'figures/report.html'), page = readFileSync(join(here, 'index.html'), 'utf8');
const link = '<p class="foot"><a href="figures/report.html">The figures of the papers behind all this, measured</a></p>';
writeFileSync(join(dist, 'index.html'), page.replace('<!-- report -->', existsSync(report) ? link : ''));
if (existsSync(report)) {
    mkdirSync(join(dist, 'figures'), { recursive: true });
    copyFileSync(report, join(dist, 'figures/report.html'));
}
// the engine with threads and without; a visitor loads one of them
for (const name of ['engine', 'engine-threads']) {
    writeFileSync(join(dist, `${name}.wasm.gz`), gzipSync(readFileSync(join(native, `wasm/web/${name}.wasm`)), { level: 9 }));
    writeFileSync(join(dist, `${name}.js`), transformSync(readFileSync(join(native, `wasm/web/${name}.js`), 'utf8'), { minify: true }).code);
}
copyFileSync(join(native, 'wasm/web/engine-threads.worker.js'), join(dist, 'engine-threads.worker.js'));
writeFileSync(join(dist, 'engine.json'), '{}\n'); // `verve view` answers with the address of its own engine

// ---- gallery --------------------------------------------------------------------------------------------------------

// pictures are drawn once and kept beside the native build
function picture(name, frame) {
    const folder = join(native, 'web'), file = join(folder, `${name}.png`), run = join(folder, name);
    mkdirSync(folder, { recursive: true });
    const scene = join(root, 'scenes', `${name}.json`);
    if (!existsSync(file) || statSync(file).mtimeMs < statSync(scene).mtimeMs) {
        execFileSync(join(native, 'verve'), ['run', scene, '--frames', String(frame), '--out', run, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
        execFileSync(join(native, 'verve'), ['render', run, '--from', String(frame), '--to', String(frame), '--size', '360x225', '--label', ' ', '--out', file], { stdio: ['ignore', 'ignore', 'inherit'] });
        rmSync(run, { recursive: true, force: true });
    }
    writeFileSync(join(dist, 'pictures', `${name}.png`), thumbnail(readFileSync(file)));
    return `pictures/${name}.png`;
}

// meshes that a scene names lie beside it
function filesOf(scene) {
    return [...new Set([...JSON.stringify(scene).matchAll(/"file":"([^"]+)"/g)].map((found) => found[1]))];
}

const cards = JSON.parse(readFileSync(join(here, 'gallery.json'), 'utf8')).map(({ name, title, frame }) => {
    const text = readFileSync(join(root, 'scenes', `${name}.json`), 'utf8'), scene = JSON.parse(text), files = filesOf(scene);
    for (const file of files) copyFileSync(join(root, 'scenes', file), join(dist, 'scenes', file));
    writeFileSync(join(dist, 'scenes', `${name}.json`), JSON.stringify(scene));
    return { name, title, description: scene.description, picture: picture(name, frame), file: `scenes/${name}.json`, files };
});
writeFileSync(join(dist, 'gallery.json'), JSON.stringify(cards));

// ---- size -----------------------------------------------------------------------------------------------------------

const sizes = readdirSync(dist, { recursive: true }).map((name) => [String(name), statSync(join(dist, String(name)))]).filter(([, status]) => status.isFile());
const sum = (chosen) => sizes.filter(([name]) => chosen(name)).reduce((bytes, [, status]) => bytes + status.size, 0);
const seen = new Set([...cards.slice(0, SEEN).map((card) => card.picture), cards[0].file, ...cards[0].files.map((file) => `scenes/${file}`)]);
// one of the two engines is loaded: the larger counts
const first = sum((name) => (!/[/\\]/.test(name) && !/^engine[-.](?!json)|^verve-scene/.test(name)) || seen.has(name.replaceAll('\\', '/')))
    + Math.max(sum((name) => /^engine\.(js|wasm)/.test(name)), sum((name) => /^engine-threads\./.test(name)));
for (const [name, status] of sizes.filter(([, each]) => each.size > 40e3)) console.log(`${String(Math.round(status.size / 1e3)).padStart(6)} kB  ${name}`);
console.log(`${String(Math.round(sum(() => true) / 1e3)).padStart(6)} kB  in ${sizes.length} files`);
console.log(`${String(Math.round(first / 1e3)).padStart(6)} kB  up to the first moving picture`);
if (first > LIMIT && !quick) throw new Error(`up to the first moving picture ${first} bytes are loaded, must be at most ${LIMIT}`);
