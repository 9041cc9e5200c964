// The Worker that owns the engine: it hands messages on and keeps time. Nothing here knows what they say.
// It loads one of two engines, which are the same but for threads (web/CMakeLists.txt), as the page says.
const BUDGET = 0.03; // s of a turn that steps may take before messages are looked at again

interface Start { wasm: ArrayBuffer; script: string; threads: number; memory: WebAssembly.Memory | null }

// what Emscripten writes from web/front/front.c
interface Module {
    HEAPU8: Uint8Array;
    _frontOpen(threads: number): number;
    _frontInbox(size: number): number;
    _frontReceive(binary: number, size: number): void;
    _frontAdvance(seconds: number, budget: number): number;
}
interface Options {
    wasmBinary: ArrayBuffer;
    threads: number; // its pool of threads holds one less
    send(binary: number, pointer: number, size: number): void;
    wasmMemory?: WebAssembly.Memory;
    mainScriptUrlOrBlob: string; // what a thread loads
    locateFile(name: string): string;
}

type Scope = {
    postMessage(message: unknown, transfer?: Transferable[]): void;
    onmessage: ((event: MessageEvent) => void) | null;
    importScripts(address: string): void;
    createEngine(options: Options): Promise<Module>;
};
const scope = self as unknown as Scope;

async function start({ wasm, script, threads, memory }: Start) {
    const beside = (name: string) => new URL(name, location.href).href;
    scope.importScripts(beside(`${script}.js`));
    const module = await scope.createEngine({
        wasmBinary: wasm, threads, mainScriptUrlOrBlob: beside(`${script}.js`), locateFile: beside, ...(memory ? { wasmMemory: memory } : {}),
        send(binary, pointer, size) {
            const bytes = heap().slice(pointer, pointer + size);
            if (binary) scope.postMessage(bytes.buffer, [bytes.buffer]);
            else scope.postMessage(new TextDecoder().decode(bytes));
        },
    });
    // another thread may have made a shared memory grow, of which the module's view does not know
    const heap = () => (memory ? new Uint8Array(memory.buffer) : module.HEAPU8);
    module._frontOpen(threads);

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
        heap().set(bytes, pointer);
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
