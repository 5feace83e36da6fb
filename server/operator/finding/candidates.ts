/**
 * The payments that may be meant. Rule: what many payments have is looked for among the newest payments alone, and the index of words is
 * asked only for what few have. So a search costs the same among a thousand payments and among millions.
 */
import type { Context } from '../../context.ts'
import { oldestId } from '../../id.ts'
import {
  countNewest,
  type LookedUp,
  type Range,
  searchByAmount,
  searchByWords,
  searchNewest,
} from '../../storage/search/look-up.ts'
import { listNewest, listSearchSources, type SearchRow } from '../../storage/search/search.ts'
import type { Alternative, ParsedSearch } from './parsed-search.ts'
import { rowOf, UNREACHED_MS } from './rows.ts'

/** Payments without a row that are compared one by one: the newest. */
const WAITING_MAX = 1_000
/** Words that so many of the newest payments have are no work for the index. countNewest looks at LOOKED_MAX. */
const COMMON = 50
/** Sorts after every id of a payment. */
export const END_OF_IDS = 'q'

/**
 * Those that have everything that was said, else those that have something of it. `isFound`: an exact one is known. Then the payments
 * without a row are not compared one by one, which reads most of all.
 */
export async function listCandidates(
  ctx: Context,
  search: ParsedSearch,
  range: Range,
  { isFound }: { isFound: boolean },
): Promise<LookedUp> {
  const { newest, oldestOf } = isFound ? { newest: [], oldestOf: null } : await listWaiting(ctx)
  const waiting = newest.filter(
    ({ merchantId, paymentId }) =>
      (range.merchantId === null || merchantId === range.merchantId) &&
      paymentId >= range.fromId &&
      paymentId < range.toId,
  )
  const { rows, lookedTo } = await listRows(ctx, search, range)
  return { rows: [...waiting, ...rows], lookedTo: lookedTo ?? oldestOf }
}

/** Payments of the last hour that have no row yet, or an older one. `oldestOf`: the last that was looked at, if there may be more. */
async function listWaiting(ctx: Context): Promise<{ newest: SearchRow[]; oldestOf: string | null }> {
  const from = oldestId(ctx.world, 'pay', new Date(ctx.clock.now().getTime() - UNREACHED_MS))
  const waiting = await listNewest(ctx.db, from, WAITING_MAX)
  const newest = (await listSearchSources(ctx.db, waiting, { all: false })).map(rowOf)
  return { newest, oldestOf: waiting.length < WAITING_MAX ? null : (waiting.at(-1)?.id ?? null) }
}

async function listRows(ctx: Context, parsed: ParsedSearch, range: Range): Promise<LookedUp> {
  const amountMinor = onlyAmount(parsed)
  if (amountMinor === null) return searchNewest(ctx.db, null, range)
  if (amountMinor !== undefined) return searchByAmount(ctx.db, amountMinor, range)
  const groups = parsed.groups.map(anyOf)
  const whole = parsed.whole.length > 0 ? [anyOf(parsed.whole)] : []
  if (groups.length + whole.length === 0) return { rows: [], lookedTo: null }
  const strict = await search(
    ctx,
    groups.length > 0 ? [groups, ...whole.map((each) => [each])] : [whole],
    range,
  )
  if (strict.rows.length > 0 || groups.length < 2) return strict
  // Somebody may remember one of the things wrongly.
  return search(
    ctx,
    groups.map((each) => [each]),
    range,
  )
}

/** `ways`: a payment needs everything of one of them. */
async function search(ctx: Context, ways: string[][], range: Range): Promise<LookedUp> {
  const queryOf = (all: string[][]) => all.map((each) => `(${each.join(' & ')})`).join(' | ')
  const wanted = queryOf(ways)
  const newest = await searchNewest(ctx.db, wanted, range)
  if (newest.lookedTo === null) return newest
  const parts = [...new Set(ways.flat())]
  const counts = await countNewest(ctx.db, parts)
  const rare = parts.filter((_, index) => (counts[index] ?? 0) < COMMON)
  const indexed = ways
    .map((each) => each.filter((part) => rare.includes(part)))
    .filter(({ length }) => length > 0)
  if (indexed.length === 0) return newest
  return (await searchByWords(ctx.db, { wanted, indexed: queryOf(indexed) }, range)) ?? newest
}

/** Returns the sum if a day and a sum, or nothing but a sum, was said; null for a day alone. Other queries have words. */
function onlyAmount({ days, groups: [group, ...more] }: ParsedSearch): number | null | undefined {
  if (!group) return days ? null : undefined
  const [only, ...others] = group
  if (more.length > 0 || others.length > 0 || only?.kind !== 'amount') return undefined
  return Number(only.text.slice(2))
}

const quoted = ({ text, exact }: Alternative) => `'${text.replaceAll(/['\\]/g, '')}'${exact ? '' : ':*'}`
const anyOf = (words: Alternative[]) => `(${words.map(quoted).join(' | ')})`
