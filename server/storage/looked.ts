/**
 * Pages of a list that leaves rows out. Rule: a page looks at a limited number of rows, however few of them it lists. So no page costs
 * more because the table is longer. The next page continues behind the last row that was looked at.
 */
import { type Queryable, statement } from './db.ts'

/** How many rows one page looks at. */
export const LOOKED_MAX = 1_000

/** `next`: the `after` of the next page. Null on the last page. A page with fewer rows than its limit can have a next one. */
export type Page<Row> = { rows: Row[]; next: string | null }
/** `after`: the `next` of the page before; empty for the first page. */
export type PageRequest = { after: string; limit: number }

/**
 * Returns a statement that finds the last of the rows that a page looked at. It finds none if there were fewer than `rowsMax`.
 * `rows`: what is looked at, in this order and up to `rowsMax`, which is a number or a parameter.
 */
export const lastScanned = (
  name: string,
  rows: string,
  { key = 'id', order = `${key} desc`, rowsMax }: { key?: string; order?: string; rowsMax: number | string },
  planning: { isPrepared?: boolean } = {},
) =>
  statement<{ position: string }>(
    name,
    `select ${key} as position from (${rows}) looked order by ${order} offset ${rowsMax} - 1`,
    planning,
  )

/** `lookedTo`: where the look stopped, although fewer rows than the page has were found. Null if there are no more. */
export type ScannedRows<Row> = { rows: Row[]; lookedTo: string | null }

/**
 * Looks for the rows of one page among the first of `mosts`, and among more if too few are found. Most pages are full after a few rows,
 * and PostgreSQL chooses another plan for few. `limit`: how many rows make the page full.
 */
export async function scanForRows<Row>(
  mosts: readonly number[],
  limit: number,
  {
    page,
    last,
  }: { page(rowsMax: number): Promise<Row[]>; last(rowsMax: number): Promise<{ position: string }[]> },
): Promise<ScannedRows<Row>> {
  let found: ScannedRows<Row> = { rows: [], lookedTo: null }
  for (const rowsMax of mosts) {
    const rows = await page(rowsMax)
    if (rows.length >= limit) return { rows, lookedTo: null }
    found = { rows, lookedTo: (await last(rowsMax))[0]?.position ?? null }
    if (found.lookedTo === null) break
  }
  return found
}

type List = {
  /** What a row shows. */
  columns: string
  /** A table with its alias, and where it is looked. `$2`: the value to which the list is cut. */
  from: string
  alias: string
  /** A column of the table: unique there, with an index that begins with what `from` names. */
  key: string
  joined?: string
  /** Which of the rows that are looked at are listed. It gets the parameters of the values. */
  lists(...values: string[]): string
}

const VALUES_MAX = 3

/** Returns a statement that lists the rows in the order of `key`. `scope`: the value of `$2` in `from`, where it has one. */
export function pagesOf<Row extends object>(
  name: string,
  { columns, from, alias, key, joined = '', lists }: List,
) {
  const [limit = '', ...values] = Array.from(
    { length: 1 + VALUES_MAX },
    (_, at) => `$${(from.includes('$2') ? 3 : 2) + at}`,
  )
  const order = `order by ${alias}.${key}`
  const looked = `from ${from} and ${alias}.${key} > $1 ${order} limit ${LOOKED_MAX}`
  const page = statement<Row & { position?: string }>(
    name,
    `select ${columns}, ${alias}.${key} as position from (select ${alias}.* ${looked}) ${alias} ${joined}
     where ${lists(...values)} ${order} limit ${limit}`,
  )
  const rows = `select ${alias}.${key} ${looked}`
  const last = lastScanned(`${name}_last`, rows, { key, order: key, rowsMax: LOOKED_MAX })
  return async (
    db: Queryable,
    { after, limit: rowsMax }: PageRequest,
    { scope, values: given = [] }: { scope?: string; values?: unknown[] } = {},
  ): Promise<Page<Row>> => {
    const place = scope === undefined ? [after] : [after, scope]
    // One extra row tells whether another page follows.
    const found = await page(db, [...place, rowsMax + 1, ...given])
    const rows = found.slice(0, rowsMax)
    const next = found.length > rowsMax ? rows.at(-1)?.position : (await last(db, place))[0]?.position
    for (const row of rows) delete row.position
    return { rows, next: next ?? null }
  }
}
