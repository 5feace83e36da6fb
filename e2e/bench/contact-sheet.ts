/** Puts many pictures of pages on a few sheets, so that people can look through hundreds of pages quickly. */
import { join } from 'node:path'
import sharp from 'sharp'

/** `picture`: a PNG or JPEG. */
export type Shot = { label: string; picture: Buffer }

const CELL = { width: 300, height: 1480, gap: 8, label: 16 }
const COLUMNS = 5
const GROUND = '#7a7a7a'

type Cell = { picture: Buffer; height: number }

/** Writes the sheets as `NAME-1.png` and so on. A page that is taller than a sheet continues in the next column. Returns the paths. */
export async function writeSheets(folder: string, name: string, shots: readonly Shot[]): Promise<string[]> {
  const cells = (await Promise.all(shots.map(cellsOf))).flat()
  const sheets: { column: number; cells: (Cell & { left: number; top: number })[] }[] = []
  let top = Number.POSITIVE_INFINITY
  for (const cell of cells) {
    const last = sheets.at(-1)
    const isFull = top + cell.height > CELL.height + CELL.label
    const sheet =
      last && !(isFull && last.column === COLUMNS - 1) ? last : { column: isFull ? -1 : 0, cells: [] }
    if (sheet !== last) sheets.push(sheet)
    if (isFull) {
      sheet.column += 1
      top = 0
    }
    sheet.cells.push({
      ...cell,
      left: CELL.gap + sheet.column * (CELL.width + CELL.gap),
      top: top + CELL.gap,
    })
    top += cell.height + CELL.gap
  }
  return Promise.all(
    sheets.map(async ({ cells: placed }, at) => {
      const path = join(folder, `${name}-${at + 1}.png`)
      const height = Math.max(...placed.map((each) => each.top + each.height)) + CELL.gap
      const width = CELL.gap + COLUMNS * (CELL.width + CELL.gap)
      await sharp({ create: { width, height, channels: 3, background: GROUND } })
        .composite(placed.map(({ picture: input, left, top: y }) => ({ input, left, top: y })))
        .png({ compressionLevel: 3 })
        .toFile(path)
      return path
    }),
  )
}

async function cellsOf({ label, picture }: Shot): Promise<Cell[]> {
  const small = await sharp(picture).resize({ width: CELL.width }).png({ compressionLevel: 0 }).toBuffer()
  const { height = 0 } = await sharp(small).metadata()
  const cells: Cell[] = []
  for (let top = 0; top < height; top += CELL.height) {
    const piece = Math.min(CELL.height, height - top)
    const part = await sharp(small).extract({ left: 0, top, width: CELL.width, height: piece }).toBuffer()
    const text = `<svg width="${CELL.width}" height="${CELL.label}"><text x="2" y="12" font-size="12" font-family="sans-serif" fill="#fff">${label}${top > 0 ? ' …' : ''}</text></svg>`
    const cell = await sharp({
      create: { width: CELL.width, height: piece + CELL.label, channels: 3, background: GROUND },
    })
      .composite([
        { input: Buffer.from(text), left: 0, top: 0 },
        { input: part, left: 0, top: CELL.label },
      ])
      .png({ compressionLevel: 0 })
      .toBuffer()
    cells.push({ picture: cell, height: piece + CELL.label })
  }
  return cells
}
