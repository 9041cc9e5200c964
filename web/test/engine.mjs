// The engine without a page: hashes beside those of the native build, and how long its frames take.
//   node engine.mjs BUILD          four scenes beside native runs; fails where bits differ or the hippo takes too long
//   node engine.mjs BUILD gallery  ms of processor time for a frame of every scene of the gallery
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), root = dirname(dirname(here));
const build = resolve(process.argv[2] ?? join(root, 'build'));
const MOST = 4; // times as long as native, single thread
const WARM = 10; // frames before the clock runs

async function engine() {
    const create = createRequire(import.meta.url)(join(build, 'wasm/web/engine.js')), heard = [];
    const module = await create({
        wasmBinary: readFileSync(join(build, 'wasm/web/engine.wasm')),
        send(binary, pointer, size) {
            if (!binary) heard.push(JSON.parse(Buffer.from(module.HEAPU8.slice(pointer, pointer + size)).toString()));
        },
    });
    module._frontOpen(1);
    return (request) => {
        const bytes = Buffer.from(JSON.stringify({ ...request, id: 1 }));
        heard.length = 0;
        module.HEAPU8.set(bytes, module._frontInbox(bytes.length));
        module._frontReceive(0, bytes.length);
        const answer = heard.find((each) => each.id === 1);
        if (answer.type === 'error') throw new Error(`${answer.message} (${answer.remedy})`);
        return answer;
    };
}

// s of processor time, which other programs do not change much: the shell's `times` prints that of its children last
function native(name, frames) {
    const out = join(build, 'web', `engine-${name}`);
    const script = `"$0" run "$1" --frames "$2" --threads 1 --json --set 'record.frames=[]' --out "$3" >"$3.json" && times`;
    const text = execFileSync('sh', ['-c', script, join(build, 'verve'), name, String(frames), out], { encoding: 'utf8' });
    const [minutes, seconds] = text.trim().split('\n').pop().match(/[\d.]+/g).map(Number);
    return { seconds: 60 * minutes + seconds, summary: JSON.parse(readFileSync(`${out}.json`, 'utf8')) };
}

if (process.argv[3] === 'gallery') {
    let quick = 0;
    const cards = JSON.parse(readFileSync(join(root, 'web/gallery.json'), 'utf8'));
    for (const { name } of cards) {
        const scene = readFileSync(join(root, 'scenes', `${name}.json`), 'utf8');
        if (/"file"/.test(scene)) continue; // its meshes would have to be uploaded first
        const ask = await engine();
        ask({ type: 'load', scene });
        ask({ type: 'step', count: WARM });
        const start = process.cpuUsage();
        ask({ type: 'step', count: 40 });
        const used = process.cpuUsage(start), milliseconds = (used.user + used.system) / 1e3 / 40;
        quick += milliseconds < 12;
        console.log(`${name}: ${milliseconds.toFixed(2)} ms`);
    }
    console.log(`${quick} of ${cards.length} scenes are below 12 ms`);
    process.exit(quick >= 10 ? 0 : 1);
}

let bad = 0;
for (const [name, frames] of [['swing', 120], ['hippo', 60], ['cloth-on-sphere', 60], ['heavy-chain', 60]]) {
    const ask = await engine();
    ask({ type: 'load', scene: readFileSync(join(root, 'scenes', `${name}.json`), 'utf8') });
    ask({ type: 'step', count: WARM }); // while the module is compiled
    const start = process.cpuUsage();
    ask({ type: 'step', count: frames - WARM });
    const used = process.cpuUsage(start), seconds = (frames / (frames - WARM)) * (used.user + used.system) / 1e6;
    const { hash } = ask({ type: 'hash' }), here_ = native(name, frames);
    const same = hash === here_.summary.hash, ratio = seconds / here_.seconds;
    bad += !same || (name === 'hippo' && !(ratio < MOST));
    console.log(`${name}: ${(1e3 * seconds / frames).toFixed(2)} ms a frame, ${ratio.toFixed(2)} times native; hash ${hash} ${same ? 'as native' : `but native ${here_.summary.hash}`}`);
}
process.exit(bad ? 1 : 0);
