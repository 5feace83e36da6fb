/**
 * The picture of the schema: each table with its primary key and what a row of it is, and a line for each foreign key. Tables stand
 * under each other by family. A foreign key inside a family runs beside it on the outer side. What leads to another family joins a
 * trunk in the middle, one for each table that it leads to.
 */

import type { Table } from './schema-facts.ts'
import type { Family } from './schema-families.ts'
import { SCHEMAS } from './schema-families.ts'
import { document, dot, escaped, frame, legend, line, type Place } from './svg.ts'

const WIDTH = 920
const CARD_WIDTH = 380
/** `outer`, `inner`: the edges of a card at which lines begin. `away`: the direction of the outer side. */
const SIDES = {
  left: { frame: 12, card: 44, outer: 44, inner: 424, away: -1 },
  right: { frame: 484, card: 496, outer: 876, inner: 496, away: 1 },
} as const
const FRAME_WIDTH = 424
const FIRST_TRUNK = 449
const TRUNK_STEP = 22
const LANE = { first: 9, step: 8 }
const PAD = 12
const GAP = 8
const TITLE_HEIGHT = 36
const LINE_HEIGHT = 15
/** Characters for which there is room, in the widest of the usual fonts. */
const ABOUT_MAX_CHARS = 54
const NAME_WIDTH = 7.9
const KEY_WIDTH = 6.7

const STYLE = `
  .name, .about { text-anchor: start }
  .about { font-size: 12px }
  .name { font-size: 13px }
  .key { font: 11px ui-monospace, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace; fill: var(--soft) }
  .end { text-anchor: end }
  .schema { font-size: 16px; font-weight: 600 }`

type Card = Table & Place & { side: Family['side']; family: string }

const KINDS = { inside: 0, across: 1, payment: 2 }

/** Returns the picture as an SVG document. @throws Error if a table of the database has no place, or a place has no table */
export function drawSchema(tables: Table[]): string {
  expectPlaces(tables)
  const { cards, parts, bottom } = layOut(new Map(tables.map((each) => [each.name, each])))
  return document({
    width: WIDTH,
    height: bottom + 118,
    title: 'The schema of the database',
    about: `The foreign keys: ${tables.flatMap(({ name, refersTo }) => refersTo.map((to) => `${name} to ${to}`)).join(', ')}.`,
    style: STYLE,
    parts: [
      ...parts,
      ...drawInside(cards),
      ...drawTrunks(cards),
      ...cards.map(drawCard),
      legend(
        { x: 44, y: bottom + 24 },
        [
          'A foreign key inside a family',
          `A foreign key from other families: to ${acrossTargets(cards).join(', ')}`,
          'A payment_id. No foreign key leads to a payment',
        ],
        'The text of a table continues: one row for each. Beside its name is the primary key.',
      ),
    ],
  })
}

function expectPlaces(tables: Table[]): void {
  const placed = SCHEMAS.flatMap(({ schema, families }) =>
    families.flatMap((family) => family.tables.map((name) => `${schema}.${name}`)),
  )
  const real = tables.map(({ schema, name }) => `${schema}.${name}`)
  const missing = real.filter((each) => !placed.includes(each))
  const strange = placed.filter((each, at) => !real.includes(each) || placed.indexOf(each) !== at)
  if (missing.length || strange.length)
    throw new Error(
      `pictures/schema-families.ts has no place for: ${missing.join(', ') || 'none'}. It names twice, or what is no table: ${strange.join(', ') || 'none'}.`,
    )
  const silent = tables.filter(({ about }) => about === '').map(({ name }) => name)
  if (silent.length) throw new Error(`The README says nothing of: ${silent.join(', ')}.`)
  const leading = tables.filter(({ refersTo }) => refersTo.includes('payments')).map(({ name }) => name)
  if (leading.length)
    throw new Error(`The legend says that no foreign key leads to a payment: ${leading.join(', ')}.`)
}

function layOut(tables: Map<string, Table>): { cards: Card[]; parts: string[]; bottom: number } {
  const cards: Card[] = []
  const parts: string[] = []
  let top = 40
  for (const { title, families } of SCHEMAS) {
    parts.push(`<text class="schema" x="${SIDES.left.frame}" y="${top + 16}">${escaped(title)}</text>`)
    const ends = { left: top + 34, right: top + 34 }
    for (const { title, side, tables: names } of families) {
      const y = ends[side]
      let next = y + TITLE_HEIGHT
      for (const name of names) {
        const table = tables.get(name) as Table
        const card = { ...table, x: SIDES[side].card, y: next, width: CARD_WIDTH, height: heightOf(table) }
        cards.push({ ...card, side, family: title })
        next += card.height + GAP
      }
      const height = next + PAD - GAP - y
      parts.push(frame({ x: SIDES[side].frame, y, width: FRAME_WIDTH, height, title }))
      ends[side] = y + height + PAD
    }
    top = Math.max(ends.left, ends.right) + 16
  }
  return { cards, parts, bottom: top }
}

const heightOf = (table: Table): number =>
  26 + (isKeyBelow(table) ? LINE_HEIGHT : 0) + LINE_HEIGHT * linesOf(table.about).length + 6

const keyOf = ({ key }: Table) => key.join(', ')
const isKeyBelow = (table: Table) =>
  table.name.length * NAME_WIDTH + keyOf(table).length * KEY_WIDTH > CARD_WIDTH - 3 * PAD

function linesOf(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${word}`.length <= ABOUT_MAX_CHARS)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function drawCard(card: Card): string {
  const { x, y, width, height, name, about } = card
  const isBelow = isKeyBelow(card)
  const keyPlace = isBelow
    ? `class="key" x="${x + PAD}" y="${y + 36}"`
    : `class="key end" x="${x + width - PAD}" y="${y + 20}"`
  const first = y + 20 + (isBelow ? LINE_HEIGHT : 0)
  return `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>
  <text class="name" x="${x + PAD}" y="${y + 20}">${escaped(name)}</text>
  <text ${keyPlace}>${escaped(keyOf(card))}</text>
  ${linesOf(about)
    .map(
      (each, at) =>
        `<text class="about" x="${x + PAD}" y="${first + (at + 1) * LINE_HEIGHT + 2}">${escaped(each)}</text>`,
    )
    .join('\n  ')}`
}

const isInside = (card: Card, to: Card) => card.family === to.family

/** Foreign keys inside a family. All that lead to one table share a lane. */
function drawInside(cards: Card[]): string[] {
  const families = Map.groupBy(cards, ({ family }) => family)
  return [...families.values()].flatMap((members) => {
    const targets = members.filter((to) => members.some(({ refersTo }) => refersTo.includes(to.name)))
    return targets.flatMap((to, index) =>
      members
        .filter((each) => each !== to && each.refersTo.includes(to.name))
        .map((each) => {
          const { outer, away } = SIDES[each.side]
          // A table can be both ends of lines, so they have a place each.
          const [from, end] = [each.y + each.height - 14, to.y + 16]
          const lane = outer + away * (LANE.first + LANE.step * index)
          return line(`M${outer} ${from} H${lane} V${end} H${outer}`, KINDS.inside)
        }),
    )
  })
}

/** The tables that foreign keys of other families lead to. */
function acrossTargets(cards: Card[]): string[] {
  return cards
    .filter((to) => cards.some((each) => each.refersTo.includes(to.name) && !isInside(each, to)))
    .map(({ name }) => name)
}

type Trunk = { to: Card; from: Card[]; kind: number }

function drawTrunks(cards: Card[]): string[] {
  const trunks = [
    ...acrossTargets(cards).map((name): Trunk => {
      const to = cards.find((each) => each.name === name) as Card
      return {
        to,
        from: cards.filter((each) => each.refersTo.includes(name) && !isInside(each, to)),
        kind: KINDS.across,
      }
    }),
    {
      to: cards.find(({ name }) => name === 'payments') as Card,
      from: cards.filter(({ isOfPayment }) => isOfPayment),
      kind: KINDS.payment,
    },
  ]
  return trunks.flatMap(({ to, from, kind }, index) => {
    const x = FIRST_TRUNK + TRUNK_STEP * index
    const yOf = ({ y }: Card) => y + 12 + 12 * index
    const branches = from.flatMap((each) => [
      line(`M${SIDES[each.side].inner} ${yOf(each)} H${x}`, kind, { isOpen: true }),
      dot({ x, y: yOf(each) }, kind),
    ])
    const ys = from.map(yOf)
    const ends = [Math.min(...ys), Math.max(...ys)].filter((end, at) =>
      at === 0 ? end < yOf(to) : end > yOf(to),
    )
    return [
      ...ends.map((end) => line(`M${x} ${end} V${yOf(to)} H${SIDES[to.side].inner}`, kind)),
      ...branches,
    ]
  })
}
