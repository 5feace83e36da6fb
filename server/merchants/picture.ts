/**
 * The pictures of merchants: logos and pictures of products.
 * Rule: a given file is never served. It is decoded and encoded again, so that only its pixels reach a browser: no script, no
 * metadata, and no place where a photo was taken.
 */
import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Picture, PictureRecord } from '../storage/merchants/branding.ts'

const FILE_BYTES_MAX = 5 * 1024 * 1024
/** A small file can contain a huge picture. Decoding 25 million pixels takes about 100 MB. */
const PIXELS_MAX = 25_000_000
const SECONDS_MAX = 10
const ID_CHARS = 40

/** The longest side of each kind, and its format. A logo stays sharp at any zoom, a photo becomes small. */
const KINDS = {
  logo: { sidePx: 512, type: 'image/png' },
  product: { sidePx: 1_000, type: 'image/webp' },
} as const
export type PictureKind = keyof typeof KINDS

/** The first bytes of the accepted formats. A file of another format never reaches a decoder. */
const FORMATS: readonly (readonly [name: string, at: number, bytes: string])[] = [
  ['PNG', 0, '89504e470d0a1a0a'],
  ['JPEG', 0, 'ffd8ff'],
  ['WebP', 8, '57454250'],
  ['GIF', 0, '474946383'],
]
/** How photos of iPhones begin, after the length of their first box. */
const HEIC = /^ftyp(?:hei[cfmsx]|hev[cmsx]|mif1|msf1)/
const LOADERS = ['Png', 'Jpeg', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}Buffer`)

/** `picture`: how a product or a branding names it. It is stored together with what shows it, or not at all. */
export type NewPicture = { picture: Picture; record: PictureRecord }

/**
 * Encodes the picture again. `field`: the name of the file's field, for the error.
 * @throws AppError validation_failed for a file that is too large, or not a picture of an accepted format
 */
export async function readPicture(kind: PictureKind, file: Buffer, field: string): Promise<NewPicture> {
  if (file.length > FILE_BYTES_MAX)
    throw refused(field, `must have at most ${FILE_BYTES_MAX / 1024 / 1024} MB`)
  if (HEIC.test(file.toString('latin1', 4, 12)))
    throw new AppError('validation_failed', {
      reason: 'picture_heic',
      message: `The ${field} is a HEIC photo, which cannot be read. Save it as JPEG.`,
      errors: { [field]: 'must not be a HEIC photo. Save it as JPEG' },
    })
  const isKnown = FORMATS.some(([, at, bytes]) => file.toString('hex', at, at + 8).startsWith(bytes))
  if (!isKnown)
    throw refused(field, 'must be a PNG, JPEG, WebP or GIF picture. Export an SVG as PNG, 512 pixels wide')
  const { bytes, ...picture } = await encode(kind, file).catch((cause: unknown) => {
    throw refused(field, `cannot be read as a picture of at most ${PIXELS_MAX / 1e6} million pixels`, cause)
  })
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, ID_CHARS)
  return { picture: { id, ...picture }, record: { id, type: KINDS[kind].type, bytes } }
}

async function encode(
  kind: PictureKind,
  file: Buffer,
): Promise<Pick<Picture, 'width' | 'height' | 'ground'> & { bytes: Buffer }> {
  // Loaded only here, because the service itself never decodes pictures and starts faster without the library.
  const { default: sharp } = await import('sharp')
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  const { sidePx, type } = KINDS[kind]
  const small = sharp(file, { limitInputPixels: PIXELS_MAX, failOn: 'error' })
    .timeout({ seconds: SECONDS_MAX })
    .autoOrient()
    .toColourspace('srgb')
    .resize({ width: sidePx, height: sidePx, fit: 'inside', withoutEnlargement: true })
  const encoded =
    type === 'image/png' ? small.clone().png({ compressionLevel: 9 }) : small.clone().webp({ quality: 82 })
  const { data: bytes, info } = await encoded.toBuffer({ resolveWithObject: true })
  const pixels = await small.clone().ensureAlpha().raw().toBuffer()
  return { bytes, width: info.width, height: info.height, ground: groundFor(pixels) }
}

/** Above this share of transparent pixels the background is visible. */
const TRANSPARENT_SHARE = 0.02
const BRIGHT = 0.7 * 255

/**
 * A bright picture with transparent parts needs a dark background, because a white logo would be invisible on white. `pixels`:
 * red, green, blue, alpha.
 */
function groundFor(pixels: Buffer): Picture['ground'] {
  let [visible, brightness] = [0, 0]
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = (pixels[at + 3] ?? 0) / 255
    visible += alpha
    brightness +=
      alpha * (0.2126 * (pixels[at] ?? 0) + 0.7152 * (pixels[at + 1] ?? 0) + 0.0722 * (pixels[at + 2] ?? 0))
  }
  const isTransparent = 1 - visible / (pixels.length / 4) > TRANSPARENT_SHARE
  return isTransparent && brightness / visible > BRIGHT ? 'dark' : 'light'
}

function refused(field: string, why: string, cause?: unknown): AppError {
  const message = `The ${field} ${why}.`
  return new AppError('validation_failed', { message, errors: { [field]: why }, cause })
}
