/** Lists over all shops: operations, receipts and mails. One page serves each of them. */
import type { AnyList, Cut, Found } from '../../acts/list.ts'
import { mails, operations, receipts } from '../../acts/lists/all.ts'
import type { Context } from '../../context.ts'
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { shortNumber } from '../../id.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { RECEIPT_STATUSES } from '../../payments/decisions/receipt.ts'
import { MAIL_STATES } from '../../storage/mails/mails.ts'
import { positionOf } from '../long-list.ts'
import type { ConsolePage } from '../page.ts'
import { choiceTags, wideScreen } from '../page-parts.ts'
import { addressWith, momentText, moreLink, sumText } from '../parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { viewOf } from '../world.ts'

const PAGE = 25
/** How many rows a list without pages shows. */
const SHOWN_MAX = 100

type Listed = ConsoleKey extends infer Key ? (Key extends `listed_${infer Name}` ? Name : never) : never
type Item = { id: string; createdAt: Date; paymentId: string | null }

/** How a list looks. What it is, is a row of the table of lists, which `load` reads. */
type Look<State extends Listed, One extends Item> = {
  list: Pick<AnyList, 'needs' | 'cut'>
  end: string
  title: ConsoleKey
  states: readonly State[]
  /** Whether it can be cut to one shop. */
  isOfShops: boolean
  load(ctx: Context, wish: Wish<State>): Promise<Found<One>>
  texts(item: One, locale: Locale): readonly (string | null)[]
}
type Wish<State> = Cut & { merchantId?: string | undefined; state?: State | undefined }

/** A state or kind in words. */
const wordOf = (locale: Locale, listed: Listed): string => translate(locale, `listed_${listed}`)

/** The list in the menu of the settings, and its page. */
function shown<State extends Listed, One extends Item>(look: Look<State, One>) {
  const { list, end, title } = look
  return { list, end, title, page: pageOf(look) }
}

const pageOf = <State extends Listed, One extends Item>(look: Look<State, One>): ConsolePage => ({
  method: 'get',
  path: `/:world/${look.end}`,
  needs: look.list.needs,
  async handle(visit) {
    const { list, end, title: name, states, isOfShops, texts } = look
    const { locale, query } = visit
    const { ctx, world, merchantId, timeZone } = await viewOf(visit)
    if (merchantId !== null && !isOfShops)
      return { kind: 'redirect', to: `/${world}/shops/${merchantId}/settings` }
    const state = states.find((each) => each === query.state)
    const limit = list.cut === 'pages' ? PAGE : SHOWN_MAX
    const wish = { ...(isOfShops && { merchantId: merchantId ?? undefined }), state, limit }
    const { found, next = null } = await loadFrom(look, ctx, wish, positionOf(query.after))
    const own = `/${world}/${end}`
    const tags = [
      [undefined, translate(locale, 'listAll')] as const,
      ...states.map((each) => [each, wordOf(locale, each)] as const),
    ]
    const title = translateAny(locale, name)
    const body = html`${choiceTags(tags, state, (each) => addressWith(own, { state: each }))}
      ${found.length === 0 ? html`<p class="lead">${translate(locale, 'listEmpty')}</p>` : null}
      <ul class="rows">${found.map((each) => rowOf(each, { world, texts: texts(each, locale), at: momentText(each.createdAt, locale, timeZone) }))}</ul>
      ${found.length === SHOWN_MAX ? html`<p class="hint">${translate(locale, 'listMore', { count: SHOWN_MAX })}</p>` : null}
      ${moreLink(locale, next && addressWith(own, { state, after: next }))}`
    return wideScreen({ title, body, back: [`/${world}/settings`, translate(locale, 'settingsTitle')] })
  },
})

/** What no list could have given out begins it anew. */
async function loadFrom<State extends Listed, One extends Item>(
  { load }: Look<State, One>,
  ctx: Context,
  wish: Wish<State>,
  after: string,
): Promise<Found<One>> {
  if (after === '') return load(ctx, wish)
  try {
    return await load(ctx, { ...wish, after })
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return load(ctx, wish)
    throw error
  }
}

type Shown = { world: string; texts: readonly (string | null)[]; at: string | null }

function rowOf({ id, paymentId }: Item, { world, texts, at }: Shown): Markup {
  const [what, ...rest] = texts
  const inside = html`<strong>${what}</strong>
    <span>${rest.flatMap((text) => text?.replaceAll('_', ' ') ?? []).join(' · ')}</span>
    <span class="hint">${at} · ${shortNumber(id)}</span>`
  return paymentId === null
    ? html`<li><div class="row">${inside}</div></li>`
    : html`<li><a class="row" href=${`/${world}/payments/${paymentId}`}>${inside}</a></li>`
}

export const LISTS = [
  shown({
    list: operations,
    end: 'operations',
    title: 'operationsTitle',
    states: OPERATION_STATUSES,
    isOfShops: true,
    load: (ctx, { state: status, ...wish }) => operations.load(ctx, { ...wish, status }),
    texts: ({ type, status, amountMinor, currency, statusReason }, locale) => [
      wordOf(locale, type),
      wordOf(locale, status),
      sumText(amountMinor, currency, locale),
      statusReason,
    ],
  }),
  shown({
    list: receipts,
    end: 'receipts',
    title: 'receiptListTitle',
    states: RECEIPT_STATUSES,
    isOfShops: true,
    load: (ctx, { state: status, ...wish }) => receipts.load(ctx, { ...wish, status }),
    texts: ({ kind, status, amountMinor, currency, statusReason }, locale) => [
      wordOf(locale, kind),
      wordOf(locale, status),
      sumText(amountMinor, currency, locale),
      statusReason,
    ],
  }),
  shown({
    list: mails,
    end: 'mails',
    title: 'setMails',
    states: MAIL_STATES,
    isOfShops: false,
    load: (ctx, wish) => mails.load(ctx, wish),
    texts: ({ kind, state, failure }, locale) => [wordOf(locale, kind), wordOf(locale, state), failure],
  }),
]

export const LIST_PAGES: readonly ConsolePage[] = LISTS.map(({ page }) => page)
