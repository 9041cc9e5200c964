// The address of a scene with its settings: "#scene=swing&set=integrator.method=%22backward-euler%22". Scenes of one's own
// are in the address as a whole, packed: "#text=...".
export interface Place { scene: string | null; text: string | null; sets: string[]; beside: string | null }

async function pipe(bytes: Uint8Array, stream: { readable: ReadableStream; writable: WritableStream }): Promise<Uint8Array> {
    const writer = stream.writable.getWriter();
    void writer.write(bytes).then(() => writer.close());
    return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

export async function pack(text: string): Promise<string> {
    const bytes = await pipe(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
    let word = '';
    for (const byte of bytes) word += String.fromCharCode(byte);
    return btoa(word).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export async function unpack(word: string): Promise<string> {
    const plain = atob(word.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(await pipe(Uint8Array.from(plain, (c) => c.charCodeAt(0)), new DecompressionStream('deflate-raw')));
}

export async function readAddress(hash: string): Promise<Place> {
    const query = new URLSearchParams(hash.replace(/^#/, '')), packed = query.get('text');
    return { scene: query.get('scene'), text: packed ? await unpack(packed) : null, sets: query.getAll('set'), beside: query.get('beside') };
}

export async function writeAddress(place: Place): Promise<string> {
    const query = new URLSearchParams();
    if (place.scene !== null) query.set('scene', place.scene);
    if (place.text !== null) query.set('text', await pack(place.text));
    place.sets.forEach((set) => query.append('set', set));
    if (place.beside) query.set('beside', place.beside);
    return `#${query.toString()}`;
}
