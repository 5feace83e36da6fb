/** Lists over all shops: operations, receipts and mails. One page serves each of them. */
import type { AnyList, Found, ListRow } from '../../acts/list.ts'
import { mails, operations, receipts } from '../../acts/rows/lists.ts'
import type { Context } from '../../context.ts'
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { RECEIPT_STATUSES } from '../../payments/decisions/receipt.ts'
import { MAIL_STATES } from '../../storage/mails/mails.ts'
import { positionOf } from '../long-list.ts'
import type { ConsolePage } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { addressWith, momentText, moreLink, sumText } from '../parts.ts'
import { type ConsoleKey, say, sayAny } from '../words/say.ts'
import { viewOf } from '../world.ts'

const PAGE = 25
/** Of a list that has no pages. */
const SHOWN_MAX = 100

type Listed = ConsoleKey extends infer Key ? (Key extends `listed_${infer Name}` ? Name : never) : never
type Item = { id: string; createdAt: Date; paymentId: string | null }

/** How the lines of a list look. The list itself is a row of the table of lists. */
type Look = {
  list: AnyList
  end: string
  title: ConsoleKey
  /** The member of the filter, and what it can be. */
  cutBy: 'status' | 'state'
  states: readonly Listed[]
  /** Whether it can be cut to one shop. */
  isOfShops: boolean
  // biome-ignore lint/suspicious/noExplicitAny: one page serves lists of everything
  texts(item: any, locale: Locale): readonly (string | null)[]
}

/** Ties how a line looks to what the list has. */
const look = <One extends Item>(
  list: ListRow<never, One>,
  rest: Omit<Look, 'list' | 'texts'> & { texts(item: One, locale: Locale): readonly (string | null)[] },
): Look => ({ list, ...rest })

export const LISTS: readonly Look[] = [
  look(operations, {
    end: 'operations',
    title: 'operationsTitle',
    cutBy: 'status',
    states: OPERATION_STATUSES,
    isOfShops: true,
    texts: ({ type, status, amountMinor, currency, statusReason }, locale) => [
      wordOf(locale, type),
      wordOf(locale, status),
      sumText(amountMinor, currency, locale),
      statusReason,
    ],
  }),
  look(receipts, {
    end: 'receipts',
    title: 'receiptListTitle',
    cutBy: 'status',
    states: RECEIPT_STATUSES,
    isOfShops: true,
    texts: ({ kind, status, amountMinor, currency, statusReason }, locale) => [
      wordOf(locale, kind),
      wordOf(locale, status),
      sumText(amountMinor, currency, locale),
      statusReason,
    ],
  }),
  look(mails, {
    end: 'mails',
    title: 'setMails',
    cutBy: 'state',
    states: MAIL_STATES,
    isOfShops: false,
    texts: ({ kind, state, failure }, locale) => [wordOf(locale, kind), wordOf(locale, state), failure],
  }),
]

/** A state or kind in words. */
const wordOf = (locale: Locale, listed: Listed): string => say(locale, `listed_${listed}`)

const pageOf = ({ list, end, title: name, cutBy, states, isOfShops, texts }: Look): ConsolePage => ({
  method: 'get',
  path: `/:world/${end}`,
  needs: list.needs,
  async handle(visit) {
    const { locale, query } = visit
    const { ctx, world, merchantId, timeZone } = await viewOf(visit)
    if (merchantId !== null && !isOfShops)
      return { kind: 'redirect', to: `/${world}/shops/${merchantId}/settings` }
    const state = states.find((each) => each === query.state)
    const limit = list.cut === 'pages' ? PAGE : SHOWN_MAX
    const filter = { ...(isOfShops && { merchantId: merchantId ?? undefined }), [cutBy]: state, limit }
    const { found, next = null } = await loadFrom(list, ctx, { filter, after: positionOf(query.after) })
    const own = `/${world}/${end}`
    const title = sayAny(locale, name)
    const body = html`<h1>${title}</h1>
      ${stateTags(locale, own, states, state)}
      ${found.length === 0 ? html`<p class="lead">${say(locale, 'listEmpty')}</p>` : null}
      <ul class="rows">${found.map((each: Item) => rowOf(each, { world, texts: texts(each, locale), at: momentText(each.createdAt, locale, timeZone) }))}</ul>
      ${found.length === SHOWN_MAX ? html`<p class="hint">${say(locale, 'listMore', { count: SHOWN_MAX })}</p>` : null}
      ${moreLink(locale, next && addressWith(own, { state, after: next }))}
      ${backTo(`/${world}/settings`, say(locale, 'settingsTitle'))}`
    return { kind: 'screen', title, body }
  },
})

/** What no list could have given out begins it anew. */
async function loadFrom(
  list: AnyList,
  ctx: Context,
  { filter, after }: { filter: object; after: string },
): Promise<Found<Item>> {
  if (after === '') return list.load(ctx, filter)
  try {
    return await list.load(ctx, { ...filter, after })
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return list.load(ctx, filter)
    throw error
  }
}

function stateTags(
  locale: Locale,
  own: string,
  states: readonly Listed[],
  chosen: string | undefined,
): Markup {
  const tag = (text: string, state: string | undefined) => html`<li>
    <a class="tag" href=${addressWith(own, { state })} aria-current=${state === chosen ? 'true' : undefined}>${text}</a>
  </li>`
  return html`<ul class="tags">
    ${tag(say(locale, 'listAll'), undefined)} ${states.map((each) => tag(wordOf(locale, each), each))}
  </ul>`
}

type Shown = { world: string; texts: readonly (string | null)[]; at: string | null }

function rowOf({ id, paymentId }: Item, { world, texts, at }: Shown): Markup {
  const [what, ...rest] = texts
  const inside = html`<strong>${what}</strong>
    <span>${rest.flatMap((text) => text?.replaceAll('_', ' ') ?? []).join(' · ')}</span>
    <span class="hint">${at} · ${id}</span>`
  return paymentId === null
    ? html`<li><div class="row">${inside}</div></li>`
    : html`<li><a class="row" href=${`/${world}/payments/${paymentId}`}>${inside}</a></li>`
}

export const LIST_PAGES: readonly ConsolePage[] = LISTS.map(pageOf)
