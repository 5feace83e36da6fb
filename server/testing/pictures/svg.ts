/** The parts of a picture: boxes, frames and lines with arrows, as SVG that fits light and dark pages. */

export type Place = { x: number; y: number; width: number; height: number }
export type Drawn = { path: string; kind: string }

const CORNER = 10
const BRIDGE = 6
const LEGEND_STEP = 24
/** Where the picture begins: nothing is drawn above. */
const TOP = 24

/** An image has no access to the page's colours, so it has its own. They are those of public/tokens.css. */
const STYLE = `
  svg { --ink: #241b18; --soft: #65544c; --line: #84736a; --paper: #fffdf9; --tint: #f2eae2; --edge: #ded1c6; --accent: #17433c }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #f3eae2; --soft: #c3b2a6; --line: #a39082; --paper: #2b2320; --tint: #1f1917; --edge: #4a3d36; --accent: #8fd0c1 }
  }
  text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink) }
  .name { font: 600 14px ui-monospace, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace; text-anchor: middle }
  .about { font-size: 12.5px; fill: var(--soft); text-anchor: middle }
  .title { font-size: 13px; font-weight: 600; fill: var(--soft) }
  .note { font-size: 13.5px }
  .box { fill: var(--paper); stroke: var(--line); stroke-width: 1.25 }
  .frame { fill: var(--tint); stroke: var(--edge) }
  .line { fill: none; stroke: var(--line); stroke-width: 1.5 }
  .kind1 { stroke: var(--accent); stroke-dasharray: 7 4 }
  .kind2 { stroke: var(--accent); stroke-dasharray: 1.5 4; stroke-width: 2; stroke-linecap: round }
  .head0 { fill: var(--line) } .head1, .head2 { fill: var(--accent) }`

export const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export function box({ x, y, width, height }: Place, name: string, about: string): string {
  const [centre, middle] = [x + width / 2, y + height / 2]
  return `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="${CORNER}"/>
  <text class="name" x="${centre}" y="${middle - 3}">${escaped(name)}</text>
  <text class="about" x="${centre}" y="${middle + 15}">${escaped(about)}</text>`
}

/** `titleX`: where the title begins, if a line is in its usual place. */
export function frame({
  x,
  y,
  width,
  height,
  title,
  titleX = x + 18,
}: Place & { title: string; titleX?: number }): string {
  return `<rect class="frame" x="${x}" y="${y}" width="${width}" height="${height}" rx="${1.6 * CORNER}"/>
  <text class="title" x="${titleX}" y="${y + 23}">${escaped(title)}</text>`
}

/**
 * A line of horizontal and vertical steps with round corners. `^` is a bridge over a line that it crosses, in the direction of the
 * step before. `isOpen`: it ends without an arrow, because another line continues it.
 */
export function line(steps: string, kind: number, { isOpen = false } = {}): string {
  const head = isOpen ? '' : ` marker-end="url(#head${kind})"`
  return `<path class="line kind${kind}"${head} d="${rounded(steps)}"/>`
}

/** Where a line joins another one. */
export function dot({ x, y }: Pick<Place, 'x' | 'y'>, kind: number): string {
  return `<circle class="head${kind}" cx="${x}" cy="${y}" r="3"/>`
}

type Point = { x: number; y: number; isBridge?: boolean }

function rounded(steps: string): string {
  const points = pointsOf(steps)
  const [first, ...others] = points as [Point, ...Point[]]
  let path = `M${first.x} ${first.y}`
  let at = first
  others.forEach((point, index) => {
    const next = others[index + 1]
    const isLeft = point.x < at.x
    if (point.isBridge) path += `A${BRIDGE} ${BRIDGE} 0 0 ${isLeft ? 0 : 1} ${point.x} ${point.y}`
    else if (!next || next.isBridge || (next.x === point.x) === (at.x === point.x))
      path += `L${point.x} ${point.y}`
    else {
      const radius = Math.min(CORNER, distance(at, point) / 2, distance(point, next) / 2)
      const [before, after] = [toward(point, at, radius), toward(point, next, radius)]
      path += `L${before.x} ${before.y}Q${point.x} ${point.y} ${after.x} ${after.y}`
    }
    at = point
  })
  return path
}

function pointsOf(steps: string): Point[] {
  const points: Point[] = []
  for (const [step] of steps.matchAll(/M[\d.]+ [\d.]+|[HV][\d.]+|\^/g)) {
    const last = points.at(-1) ?? { x: 0, y: 0 }
    const value = Number(step.slice(1))
    if (step.startsWith('M'))
      points.push({ x: Number.parseFloat(step.slice(1)), y: Number(step.split(' ')[1]) })
    else if (step === '^')
      points.push({ x: last.x + 2 * BRIDGE * directionOf(points), y: last.y, isBridge: true })
    else points.push(step.startsWith('H') ? { x: value, y: last.y } : { x: last.x, y: value })
  }
  return points
}

function directionOf(points: Point[]): number {
  const [before, last] = points.slice(-2)
  return Math.sign((last?.x ?? 0) - (before?.x ?? 0))
}

const distance = (one: Point, other: Point) => Math.abs(one.x - other.x) + Math.abs(one.y - other.y)
const toward = (from: Point, to: Point, by: number): Point => ({
  x: from.x + Math.sign(to.x - from.x) * by,
  y: from.y + Math.sign(to.y - from.y) * by,
})

export function legend({ x, y }: Pick<Place, 'x' | 'y'>, kinds: string[], note: string): string {
  const rows = kinds.map((text, kind) => {
    const at = y + kind * LEGEND_STEP
    return `${line(`M${x} ${at} H${x + 56}`, kind)}<text class="note" x="${x + 72}" y="${at + 5}">${escaped(text)}</text>`
  })
  return `${rows.join('\n  ')}
  <text class="note" x="${x}" y="${y + kinds.length * LEGEND_STEP + 6}">${escaped(note)}</text>`
}

/** `style`: rules beside those that all pictures share. */
type Content = {
  width: number
  height: number
  title: string
  about: string
  style?: string
  parts: string[]
}

export function document({ width, height, title, about, style = '', parts }: Content): string {
  const heads = [0, 1, 2].map(
    (kind) =>
      `<marker id="head${kind}" viewBox="0 0 10 10" refX="9.5" refY="5" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path class="head${kind}" d="M0 0.8L10 5L0 9.2z"/></marker>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${TOP} ${width} ${height - TOP}" role="img" aria-labelledby="title about">
  <title id="title">${escaped(title)}</title>
  <desc id="about">${escaped(about)}</desc>
  <style>${STYLE}${style}
  </style>
  <defs>${heads.join('')}</defs>
  ${parts.join('\n  ')}
</svg>
`
}
