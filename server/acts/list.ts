/**
 * A row of the table of lists. From it is made the command that lists, with its flags, columns and JSON. Pages of the console read the
 * same rows, and add how a line looks.
 * Rule: a row has no text. Its texts stand in the catalogue `cli`, by its name.
 */
import type { Context } from '../context.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../contract/fields.ts'
import { type Given, optionalText, type Shape } from './input.ts'
import type { Act } from './policy.ts'

export type Cell = string | number | Date | { amountMinor: number; currency: CurrencyCode } | null | undefined

/** `after`: the id of the last one of the page before. */
export type Cut = { limit: number; after?: string | undefined }
/** `next`: the `after` of the next page; null on the last one. */
export type Found<Item> = { found: readonly Item[]; next?: string | null }

export type ListRow<Filter extends object, Item> = {
  /** Noun and verb. */
  name: string
  /** The list is for people who may do this act. */
  needs: Act
  /** What the JSON of the command calls the items. */
  items: string
  /** A flag for each member. */
  filters: Shape
  /** `pages`: page by page. `newest`: up to a number of lines. `whole`: all of it. */
  cut: 'pages' | 'newest' | 'whole'
  /** How many lines are shown if nobody says, and at most. Absent: as many as of most lists. */
  lines?: { fallback: number; max: number }
  /** Its times are those of the machine, in the sandbox too. */
  isRealTime?: true
  /** Returns the filter with what follows from it, such as the only shop. @throws AppError */
  complete?(ctx: Context, filter: Filter): Promise<Filter>
  /** @throws AppError not_found for an `after` that is none of the list */
  load(ctx: Context, filter: Filter & Cut): Promise<Found<Item>>
  /** The table that people read. The text `NAME.columns.COLUMN` is its heading. */
  columns: Record<string, (item: Item, ctx: Context) => Cell>
  /** What programs read. */
  present(item: Item, ctx: Context): object
  /** What they read beside the items. */
  also?(filter: Filter, ctx: Context): object
  /** Whether the text `NAME.note` stands below. */
  hasNote?(found: readonly Item[]): boolean
  /** What is counted, in singular and plural. */
  counts: readonly [one: string, several: string]
  helpExamples: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: one engine serves lists of everything
export type AnyList = ListRow<any, any>

/** Declares a list. The filters come first, so that the compiler checks the rest of the row against them. */
export const list =
  <Filters extends Shape>(name: string, filters: Filters) =>
  <Item>(rest: Omit<ListRow<Given<Filters>, Item>, 'name' | 'filters'>): ListRow<Given<Filters>, Item> => ({
    name,
    filters,
    ...rest,
  })

/** The flags by which many lists are cut. */
export const ofShop = () => optionalText({ flag: 'merchant', placeholder: 'ID' })
export const ofPayment = () => optionalText({ flag: 'payment', placeholder: 'ID' })

/** The JSON of a list of one shop names the shop. */
export const ofOne = ({ merchantId }: { merchantId?: string | undefined }) =>
  merchantId ? { merchantId } : {}

type Sum = { amountMinor: number | null; currency?: string | null | undefined }
/** Nothing for what has no amount. */
export function sumOf({ amountMinor, currency: code }: Sum): Cell {
  const currency = CURRENCY_CODES.find((each) => each === code)
  return amountMinor === null || !currency ? null : { amountMinor, currency }
}
