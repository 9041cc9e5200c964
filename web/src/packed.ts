// Files that lie in the folder packed: no server has to be told to do that, and they are a third of the size or less.
export async function fetchPacked(address: URL): Promise<ArrayBuffer> {
    const answer = await fetch(address);
    if (!answer.ok || !answer.body) throw new Error(`${address.pathname}: ${answer.status}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (bytes[0] !== 0x1f) return bytes.buffer; // a server has unpacked it on the way
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
