// A picture of the gallery in few bytes: the colours of a PNG reduced to a palette, by cutting their box at the median.
import { deflateSync, inflateSync } from 'node:zlib';

const COLOURS = 48;

// 8-bit RGB or RGBA without interlace, as our renderer writes them
export function decode(file) {
    let at = 8, width = 0, height = 0, channels = 3;
    const parts = [];
    while (at < file.length) {
        const size = file.readUInt32BE(at), kind = file.toString('latin1', at + 4, at + 8), data = file.subarray(at + 8, at + 8 + size);
        if (kind === 'IHDR') { width = data.readUInt32BE(0); height = data.readUInt32BE(4); channels = data[9] === 6 ? 4 : 3; }
        if (kind === 'IDAT') parts.push(data);
        at += size + 12;
    }
    const raw = inflateSync(Buffer.concat(parts)), stride = width * channels, out = new Uint8Array(width * height * 3);
    let before = new Uint8Array(stride);
    for (let y = 0; y < height; ++y) {
        const filter = raw[y * (stride + 1)], line = Uint8Array.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
        for (let i = 0; i < stride; ++i) {
            const a = i >= channels ? line[i - channels] : 0, b = before[i], c = i >= channels ? before[i - channels] : 0;
            const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
            line[i] += [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
        }
        for (let x = 0; x < width; ++x) for (let c = 0; c < 3; ++c) out[3 * (y * width + x) + c] = line[x * channels + c];
        before = line;
    }
    return { width, height, pixels: out };
}

function palette(pixels) {
    const counts = new Map();
    for (let i = 0; i < pixels.length; i += 3) {
        const key = (pixels[i] >> 2 << 12) | (pixels[i + 1] >> 2 << 6) | (pixels[i + 2] >> 2);
        counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const split = (key) => [key >> 12 << 2, (key >> 6 & 63) << 2, (key & 63) << 2];
    const boxes = [[...counts.keys()].map((key) => ({ key, colour: split(key), count: counts.get(key) }))];
    while (boxes.length < COLOURS) {
        let best = -1, most = 0, axis = 0;
        boxes.forEach((box, b) => {
            for (let c = 0; c < 3 && box.length > 1; ++c) {
                const values = box.map((each) => each.colour[c]), spread = (Math.max(...values) - Math.min(...values)) * Math.sqrt(box.reduce((sum, each) => sum + each.count, 0));
                if (spread > most) { most = spread; best = b; axis = c; }
            }
        });
        if (best < 0) break;
        const box = boxes[best].sort((a, b) => a.colour[axis] - b.colour[axis]), half = box.reduce((sum, each) => sum + each.count, 0) / 2;
        let sum = 0, cut = 0;
        while (cut < box.length - 1 && sum < half) sum += box[cut++].count;
        boxes.splice(best, 1, box.slice(0, Math.max(1, cut)), box.slice(Math.max(1, cut)));
    }
    const index = new Map(), colours = boxes.map((box, b) => {
        const total = box.reduce((sum, each) => sum + each.count, 0);
        box.forEach((each) => index.set(each.key, b));
        return [0, 1, 2].map((c) => Math.min(255, Math.round(box.reduce((sum, each) => sum + each.colour[c] * each.count, 0) / total) + 2));
    });
    return { colours, of: (i) => index.get((pixels[i] >> 2 << 12) | (pixels[i + 1] >> 2 << 6) | (pixels[i + 2] >> 2)) };
}

const table = Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n >>> 0; });
function chunk(kind, data) {
    const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]), out = Buffer.alloc(body.length + 8);
    let crc = 0xffffffff;
    for (const byte of body) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
    return out;
}

export function thumbnail(file) {
    const { width, height, pixels } = decode(file), { colours, of } = palette(pixels);
    const raw = Buffer.alloc((width + 1) * height), head = Buffer.alloc(13);
    for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) raw[y * (width + 1) + 1 + x] = of(3 * (y * width + x));
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 3, 0, 0, 0], 8);
    return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('PLTE', Buffer.from(colours.flat())),
        chunk('IDAT', deflateSync(raw, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
