/** Lists over all shops: operations, receipts and mails. One page serves each row of the table. */
import type { Act } from '../../acts/policy.ts'
import type { Context } from '../../context.ts'
import { OPERATION_STATUSES } from '../../contract/operation.ts'
import { listOperationPage } from '../../operator/operation-history.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { listReceiptsToResolve, RECEIPT_STATUSES } from '../../payments/decisions/receipt.ts'
import { listMails, MAIL_STATES } from '../../storage/mails/mails.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import type { ConsolePage } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { addressWith, momentText, moreLink, sumText } from '../parts.ts'
import { type ConsoleKey, say, sayAny } from '../words/say.ts'
import { viewOf } from '../world.ts'

const PAGE = 25
/** Of a list that has no pages. */
const SHOWN_MAX = 100

/** `paymentId`: where the row leads; null for one without a payment. */
type Row = { id: string; at: Date; texts: readonly (string | null)[]; paymentId: string | null }
type Listed = ConsoleKey extends infer Key ? (Key extends `listed_${infer Name}` ? Name : never) : never
type ListFilter = { merchantId: string | null; state: string | undefined; after: string | undefined }
type List = {
  end: string
  needs: Act
  title: ConsoleKey
  states: readonly Listed[]
  /** Whether it can be cut to one shop. */
  isOfShops: boolean
  load(ctx: Context, cut: ListFilter, locale: Locale): Promise<{ rows: Row[]; next: string | null }>
}

export const LISTS: readonly List[] = [
  {
    end: 'operations',
    needs: 'operation list',
    title: 'operationsTitle',
    isOfShops: true,
    states: OPERATION_STATUSES,
    async load(ctx, { merchantId, state, after }, locale) {
      const status = OPERATION_STATUSES.find((each) => each === state)
      // Another shop's operation is no position, as an unknown one is none.
      const position = after === undefined ? null : await findOperationById(ctx.db, after)
      const isOwn = position !== null && (merchantId === null || position.merchantId === merchantId)
      const shop = merchantId ?? undefined
      const filter = { merchantId: shop, status, after: isOwn ? after : undefined, limit: PAGE }
      const { operations, next } = await listOperationPage(ctx, filter)
      const rows = operations.map(({ id, createdAt, type, status: is, statusReason, ...each }) => ({
        id,
        at: createdAt,
        paymentId: each.paymentId,
        texts: [
          wordOf(locale, type),
          wordOf(locale, is),
          sumText(each.amountMinor, each.currency, locale),
          statusReason,
        ],
      }))
      return { rows, next }
    },
  },
  {
    end: 'receipts',
    needs: 'receipt list',
    title: 'receiptListTitle',
    isOfShops: true,
    states: RECEIPT_STATUSES,
    async load(ctx, { merchantId, state }, locale) {
      const status = RECEIPT_STATUSES.find((each) => each === state)
      const filter = { merchantId: merchantId ?? undefined, status, limit: SHOWN_MAX }
      const rows = (await listReceiptsToResolve(ctx, filter)).map((each) => ({
        id: each.id,
        at: each.createdAt,
        paymentId: each.paymentId,
        texts: [
          wordOf(locale, each.kind),
          wordOf(locale, each.status),
          sumText(each.amountMinor, each.currency, locale),
          each.statusReason,
        ],
      }))
      return { rows, next: null }
    },
  },
  {
    end: 'mails',
    needs: 'mail list',
    title: 'setMails',
    isOfShops: false,
    states: MAIL_STATES,
    async load({ db }, { state }, locale) {
      const wanted = MAIL_STATES.find((each) => each === state)
      const rows = (await listMails(db, { state: wanted, limit: SHOWN_MAX })).map((each) => ({
        id: each.id,
        at: each.createdAt,
        paymentId: each.paymentId,
        texts: [wordOf(locale, each.kind), wordOf(locale, each.state), each.failure],
      }))
      return { rows, next: null }
    },
  },
]

/** A state or kind in words. */
const wordOf = (locale: Locale, listed: Listed): string => say(locale, `listed_${listed}`)

const pageOf = (list: List): ConsolePage => ({
  method: 'get',
  path: `/:world/${list.end}`,
  needs: list.needs,
  async handle(visit) {
    const { locale, query } = visit
    const { ctx, world, merchantId, timeZone } = await viewOf(visit)
    if (merchantId !== null && !list.isOfShops)
      return { kind: 'redirect', to: `/${world}/shops/${merchantId}/settings` }
    const state = list.states.find((each) => each === query.state)
    const after = /^opr_\w{10,80}$/.test(query.after ?? '') ? query.after : undefined
    const { rows, next } = await list.load(ctx, { merchantId, state, after }, locale)
    const own = `/${world}/${list.end}`
    const title = sayAny(locale, list.title)
    const body = html`<h1>${title}</h1>
      ${stateTags(locale, own, list.states, state)}
      ${rows.length === 0 ? html`<p class="lead">${say(locale, 'listEmpty')}</p>` : null}
      <ul class="rows">${rows.map((row) => rowOf(row, { world, at: momentText(row.at, locale, timeZone) }))}</ul>
      ${rows.length === SHOWN_MAX ? html`<p class="hint">${say(locale, 'listMore', { count: SHOWN_MAX })}</p>` : null}
      ${moreLink(locale, next && addressWith(own, { state, after: next }))}
      ${backTo(`/${world}/settings`, say(locale, 'settingsTitle'))}`
    return { kind: 'screen', title, body }
  },
})

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

function rowOf({ id, texts, paymentId }: Row, { world, at }: { world: string; at: string | null }): Markup {
  const [what, ...rest] = texts
  const inside = html`<strong>${what}</strong>
    <span>${rest.flatMap((text) => text?.replaceAll('_', ' ') ?? []).join(' · ')}</span>
    <span class="hint">${at} · ${id}</span>`
  return paymentId === null
    ? html`<li><div class="row">${inside}</div></li>`
    : html`<li><a class="row" href=${`/${world}/payments/${paymentId}`}>${inside}</a></li>`
}

export const LIST_PAGES: readonly ConsolePage[] = LISTS.map(pageOf)
