// SPDX-License-Identifier: Apache-2.0
// Little-endian elements as an array of JavaScript.

const ARRAYS = {bool: Uint8Array, u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array,
  u64: BigUint64Array, i64: BigInt64Array, f32: Float32Array, f64: Float64Array};

/** The elements of a type in some bytes; an incomplete last element is left out. Complex numbers are texts. */
export function decode(type, data) {
  const array = ARRAYS[type];
  if (array) return new array(data, 0, Math.floor(data.byteLength / array.BYTES_PER_ELEMENT));
  if (type === "f16" || type === "bf16") {
    const halves = new Uint16Array(data, 0, Math.floor(data.byteLength / 2));
    return Float32Array.from(halves, type === "f16" ? half : brain);
  }
  if (type === "c64" || type === "c128") {
    const parts = decode(type === "c64" ? "f32" : "f64", data);
    return Array.from({length: parts.length >> 1}, (_, i) => `${parts[2 * i]}${parts[2 * i + 1] < 0 ? "" : "+"}${parts[2 * i + 1]}j`);
  }
  throw new Error(`There is no renderer for ${type}.`);
}

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const bits32 = new Uint32Array(1);
const real32 = new Float32Array(bits32.buffer);

function brain(bits) {
  bits32[0] = bits << 16;
  return real32[0];
}
