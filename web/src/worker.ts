// The Worker that owns the engine: it hands messages on and keeps time. Nothing here knows what they say.
import create from 'engine-module';

const BUDGET = 0.03; // s of a turn that steps may take before messages are looked at again

interface Start { wasm: ArrayBuffer }

type Scope = { postMessage(message: unknown, transfer?: Transferable[]): void; onmessage: ((event: MessageEvent) => void) | null };
const scope = self as unknown as Scope;

async function start({ wasm }: Start) {
    const module = await create({
        wasmBinary: wasm,
        send(binary, pointer, size) {
            const bytes = module.HEAPU8.slice(pointer, pointer + size);
            if (binary) scope.postMessage(bytes.buffer, [bytes.buffer]);
            else scope.postMessage(new TextDecoder().decode(bytes));
        },
    });
    module._frontOpen(1);

    let last = performance.now(), timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
        const now = performance.now();
        const wait = module._frontAdvance((now - last) / 1000, BUDGET);
        last = now;
        timer = wait < 0 ? undefined : setTimeout(tick, Math.max(0, 1000 * wait));
    };
    const receive = (data: string | ArrayBuffer) => {
        const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data);
        const pointer = module._frontInbox(bytes.length);
        if (pointer === 0) return;
        module.HEAPU8.set(bytes, pointer);
        module._frontReceive(typeof data === 'string' ? 0 : 1, bytes.length);
        if (timer === undefined) { // it may play from now on
            last = performance.now();
            tick();
        }
    };
    scope.onmessage = (event) => receive(event.data as string | ArrayBuffer);
    for (const data of waiting) receive(data);
}

const waiting: (string | ArrayBuffer)[] = []; // until the module is there
scope.onmessage = (event) => {
    if (typeof event.data === 'object' && 'wasm' in event.data) {
        start(event.data as Start).catch((error) => scope.postMessage(JSON.stringify({
            type: 'error', of: 'start', code: 'no engine', message: String(error), remedy: 'reload the page; a browser of 2021 or later is needed',
        })));
    } else waiting.push(event.data as string | ArrayBuffer);
};
