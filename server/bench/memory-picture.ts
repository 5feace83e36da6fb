/** Draws `memory.jsonl`, the lines that `npm run bench -- memory` has printed, as server/guides/memory.svg. */
import { readFile, writeFile } from 'node:fs/promises'
import type { MemoryRun } from './memory.ts'

const [WIDTH, HEIGHT] = [960, 480]
const PLOT = { left: 60, right: 680, top: 50, bottom: 420 }
/** What the axes end with. */
const LAST = { seconds: 410, megabytes: 400 }
const COLOURS: Record<string, string> = { before: '#b4472f', now: '#17695c' }

const x = (seconds: number) => PLOT.left + (seconds / LAST.seconds) * (PLOT.right - PLOT.left)
const y = (megabytes: number) => PLOT.bottom - (megabytes / LAST.megabytes) * (PLOT.bottom - PLOT.top)
const text = (at: [number, number], words: string, attributes = '') =>
  `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}"${attributes}>${words}</text>`

function curve({ version, provider, samples }: MemoryRun, index: number): string {
  const points = samples.filter(([seconds]) => seconds <= LAST.seconds)
  const path = points.map(([seconds, size]) => `${x(seconds).toFixed(1)},${y(size).toFixed(1)}`).join(' ')
  const dashes = provider === 'manual' ? ' stroke-dasharray="6 4"' : ''
  const look = `fill="none" stroke="${COLOURS[version]}" stroke-width="2"${dashes}`
  const bank = provider === 'manual' ? 'without simulated bank' : 'with simulated bank'
  const at = PLOT.top + 20 + index * 44
  return `<polyline points="${path}" ${look}/>
  <path d="M${PLOT.right + 16} ${at}h36" ${look}/>
  ${text([PLOT.right + 60, at + 4], `${version}, ${bank}:`)}
  ${text([PLOT.right + 60, at + 20], `${points.at(-1)?.[1]} MB at the end`)}`
}

function draw(runs: MemoryRun[]): string {
  const grid = [0, 100, 150, 200, 300, 400].map(
    (size) => `<path d="M${PLOT.left} ${y(size)}H${PLOT.right}" stroke="#ded1c6"/>
  ${text([PLOT.left - 8, y(size) + 4], `${size}`, ' text-anchor="end"')}`,
  )
  const times = [0, 60, 120, 180, 240, 300, 360].map((at) =>
    text([x(at), PLOT.bottom + 20], `${at} s`, ' text-anchor="middle"'),
  )
  const { loadFrom = 0, loadUntil = 0 } = runs[0] ?? {}
  const load = `<rect x="${x(loadFrom)}" y="${PLOT.top}" width="${x(loadUntil) - x(loadFrom)}" height="${PLOT.bottom - PLOT.top}" fill="#f2eae2"/>
  ${text([x(loadFrom) + 4, PLOT.top - 8], 'a minute of load')}`
  const parts = [load, ...grid, ...times, ...runs.map(curve)]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
  <title id="title">Memory of the service over time, in megabytes</title>
  <style>text { font: 12.5px system-ui, sans-serif; fill: #241b18 }</style>
  <rect width="${WIDTH}" height="${HEIGHT}" fill="#fffdf9"/>
  ${parts.join('\n  ')}
</svg>
`
}

const lines = await readFile(new URL('memory.jsonl', import.meta.url), 'utf8')
const runs = lines
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as MemoryRun)
await writeFile(new URL('../guides/memory.svg', import.meta.url), draw(runs))
