/** Reads what was printed or drawn: the pages of a PDF, and the QR code of a picture. */
import readCode from 'jsqr'
import sharp from 'sharp'

const POINTS_PER_MM = 72 / 25.4
/** The papers of a poster, in millimetres. */
export const PAPERS = { a4: [210, 297], a6: [105, 148], tent: [210, 297] } as const

/** Returns the width and height of each page, in whole millimetres. */
export function pagesOf(pdf: Buffer): [width: number, height: number][] {
  const boxes = pdf.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)
  const mm = (points = '') => Math.round(Number(points) / POINTS_PER_MM)
  return [...boxes].map(([, width, height]) => [mm(width), mm(height)])
}

/** Returns the text of the QR code and the size of the picture. `text`: null if a scanner finds no code. */
export async function readPicture(
  picture: Buffer,
): Promise<{ text: string | null; width: number; height: number }> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return { text: readCode.default(new Uint8ClampedArray(data), width, height)?.data ?? null, width, height }
}
