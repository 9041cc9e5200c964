// What threads bring in the browser: ms of a frame in the Worker, without drawing, for 1 and more threads in turns.
//   node threads.mjs [scene ...]      default: scenes with many bodies
import { loaded, start } from './browser.mjs';

const scenes = process.argv.length > 2 ? process.argv.slice(2) : ['heap-100', 'ball-pit', 'pile', 'hippo'];
const ROUNDS = 5, FRAMES = 10, browser = await start();
for (const name of scenes) {
    const pages = new Map();
    for (const threads of [1, 2, 4]) {
        const page = await browser.open(`?threads=${threads}&paused=1#scene=${name}`);
        await loaded(page);
        pages.set(threads, { page, times: [] });
    }
    for (let round = 0; round <= ROUNDS; ++round)
        for (const { page, times } of pages.values()) {
            const list = await page.evaluate(async (frames) => {
                const [pane] = window.verve.panes, out = [];
                for (let i = 0; i < frames; ++i) {
                    const seen = pane.nextFrame();
                    await pane.engine.ask({ type: 'step', count: 1 });
                    await seen;
                    out.push(pane.row.statistics.milliseconds);
                }
                return out;
            }, FRAMES);
            if (round > 0) times.push(...list); // the module is compiled in the first
        }
    const words = [...pages].map(([threads, { times }]) => {
        times.sort((a, b) => a - b);
        return `${threads}: ${times[0].toFixed(1)} / ${times[times.length >> 1].toFixed(1)}`;
    });
    console.log(`${name}, threads: least / median ms    ${words.join('    ')}`);
    for (const { page } of pages.values()) await page.close();
}
await browser.close();
