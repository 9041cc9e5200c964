// The engine as the rest of the page sees it: a Worker with the WebAssembly module, or the tool behind a WebSocket.
import { fetchPacked } from './packed';
import { Answer, Binary, Kind, Request, Section, bytes, readBinary, text, writeUpload } from './protocol';

export type Did = Extract<Answer, { type: 'did' }>;
export class EngineError extends Error {
    constructor(message: string, readonly remedy: string, readonly of: string) { super(message); }
}

interface Carrier { send(data: string | ArrayBuffer): void; close(): void }

// ---- threads --------------------------------------------------------------------------------------------------------

const PAGE = 65536, LEAST = 32 * 2 ** 20; // bytes of a page of memory, and that the module begins with (web/CMakeLists.txt)
const MOST_THREADS = 8;

// How many threads an engine gets: with more than two cores one is left for drawing. "?threads=1" in the address asks for
// others. A browser lets threads share memory only where the page is cross-origin isolated: two headers of its server
function threadsHere(): number {
    if (!self.crossOriginIsolated || typeof SharedArrayBuffer === 'undefined') return 1;
    const asked = Number(new URLSearchParams(location.search).get('threads')), cores = navigator.hardwareConcurrency || 1;
    return Math.min(MOST_THREADS, asked >= 1 ? Math.floor(asked) : cores > 2 ? cores - 1 : cores);
}

// as much as the system lets one reserve; none: an engine without threads
function sharedMemory(): WebAssembly.Memory | null {
    for (let most = 2 ** 31; most >= 2 ** 28; most /= 2) {
        try {
            return new WebAssembly.Memory({ initial: LEAST / PAGE, maximum: most / PAGE, shared: true });
        } catch { /* half of it then */ }
    }
    return null;
}

// ---- carriers -------------------------------------------------------------------------------------------------------

const modules = new Map<string, Promise<ArrayBuffer>>(); // fetched once, for any number of engines

function moduleOf(script: string, base: string): Promise<ArrayBuffer> {
    if (!modules.has(script)) modules.set(script, fetchPacked(new URL(`${script}.wasm.gz`, base)));
    return modules.get(script)!;
}

// the module before anyone asks for it, while the gallery is looked at
export function fetchAhead(base: string) {
    void moduleOf(threadsHere() > 1 ? 'engine-threads' : 'engine', base).catch(() => {});
}

function workerCarrier(base: string, receive: (data: string | ArrayBuffer) => void): Carrier {
    const worker = new Worker(new URL('worker.js', base)), wanted = threadsHere(), memory = wanted > 1 ? sharedMemory() : null;
    const script = memory ? 'engine-threads' : 'engine', threads = memory ? wanted : 1;
    worker.onmessage = (event) => receive(event.data);
    moduleOf(script, base).then((wasm) => worker.postMessage({ wasm, script, threads, memory }), (error) => receive(JSON.stringify({
        type: 'error', of: 'start', code: 'no engine', message: String(error), remedy: 'build the page with make web',
    })));
    return { send: (data) => worker.postMessage(data), close: () => worker.terminate() };
}

function socketCarrier(address: string, receive: (data: string | ArrayBuffer) => void): Carrier {
    const socket = new WebSocket(address), waiting: (string | ArrayBuffer)[] = [];
    socket.binaryType = 'arraybuffer';
    socket.onmessage = (event) => receive(event.data);
    socket.onopen = () => waiting.splice(0).forEach((data) => socket.send(data));
    socket.onclose = () => receive(JSON.stringify({
        type: 'error', of: 'connection', code: 'closed', message: 'the engine has gone', remedy: "start 'verve view' again",
    }));
    return {
        send: (data) => (socket.readyState === WebSocket.OPEN ? socket.send(data) : waiting.push(data)),
        close: () => socket.close(),
    };
}

export class Engine {
    onAnswer: (answer: Answer) => void = () => {};
    onShapes: (shapes: Binary) => void = () => {};
    onFrame: (frame: Binary) => void = () => {};
    onFile: (name: string, content: Uint8Array) => void = () => {};

    private carrier: Carrier;
    private next = 1;
    private open = new Map<number, { done(did: Did): void; failed(error: EngineError): void }>();
    private uploads: { done(): void; failed(error: EngineError): void }[] = [];

    // `address`: of a WebSocket; none: a Worker from files beside `base`
    constructor(base: string, address?: string) {
        const receive = (data: string | ArrayBuffer) => (typeof data === 'string' ? this.hear(JSON.parse(data)) : this.see(readBinary(data)));
        this.carrier = address ? socketCarrier(address, receive) : workerCarrier(base, receive);
    }

    close() { this.carrier.close(); }

    tell(request: Request) { this.carrier.send(JSON.stringify(request)); }

    ask(request: Request): Promise<Did> {
        const id = this.next++;
        return new Promise((done, failed) => {
            this.open.set(id, { done, failed });
            this.tell({ ...request, id });
        });
    }

    upload(name: string, content: Uint8Array): Promise<void> {
        return new Promise((done, failed) => {
            this.uploads.push({ done, failed });
            this.carrier.send(writeUpload(name, content));
        });
    }

    private hear(answer: Answer) {
        if (answer.type === 'did' || answer.type === 'error') {
            const error = answer.type === 'error' ? new EngineError(answer.message, answer.remedy, answer.of) : undefined;
            const upload = answer.of === 'upload' ? this.uploads.shift() : undefined;
            const waiting = answer.id !== undefined ? this.open.get(answer.id) : undefined;
            if (answer.id !== undefined) this.open.delete(answer.id);
            if (upload) { if (error) upload.failed(error); else upload.done(); return; }
            if (waiting) { if (error) waiting.failed(error); else waiting.done(answer as Did); return; }
        }
        this.onAnswer(answer);
    }

    private see(binary: Binary) {
        if (binary.kind === Kind.FRAME) {
            this.onFrame(binary);
            this.tell({ type: 'got' });
        } else if (binary.kind === Kind.SHAPES) this.onShapes(binary);
        else if (binary.kind === Kind.FILE) {
            const name = binary.parts.find((part) => part.type === Section.TEXT);
            const content = binary.parts.find((part) => part.type === Section.BYTES);
            if (name && content) this.onFile(text(binary, name), bytes(binary, content));
        }
    }
}
