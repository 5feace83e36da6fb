/** The audit log: what was done, by whom and from where, the newest first, and whether it is whole. */
import { may } from '../../acts/policy.ts'
import { type AuditView, changesIn, listActPage } from '../../audit/list.ts'
import { type Verified, verifyLog } from '../../audit/verify.ts'
import { systemClock } from '../../context.ts'
import { CurrencyCode } from '../../contract/fields.ts'
import { takeDay } from '../../operator/finding/day.ts'
import { actText } from '../../pages/approvals/messages.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { alertOf, hiddenFields, noticeOf } from '../form-parts.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { filterTags, whoMay, wideScreen } from '../page-parts.ts'
import { addressWith, factList, momentText, moreLink, sumText } from '../parts.ts'
import { AUDIT_WORDS } from '../words/people/audit.ts'
import { type ConsoleKey, translate } from '../words/translate.ts'
import { type View, viewOf, worldOf } from '../world.ts'

const PAGE = 25
const TEXT_CHARS_MAX = 60
const ID_CHARS_MAX = 100
/** The faults and gaps that a page names. The rest is counted. */
const NAMED_MAX = 20
/** What a row is called that no command wrote. Commands have their names in every language. */
const CHANGE = 'change'
const MERCHANT_ID = /^mer_[a-z0-9]{10,60}$/
const PAYMENT_ID = /pay_[0-9a-z_]{10,80}/

const log: ConsolePage = {
  method: 'get',
  path: '/:world/audit',
  needs: 'audit list',
  async handle(visit) {
    const { locale, query } = visit
    const view = await viewOf(visit)
    const who = query.who?.trim().slice(0, TEXT_CHARS_MAX) ?? ''
    const day = query.day?.trim().slice(0, TEXT_CHARS_MAX) ?? ''
    const days = day === '' ? null : takeDay(day, systemClock.now(), view.timeZone).days
    const merchantId =
      view.merchantId ?? (MERCHANT_ID.test(query.merchant ?? '') ? query.merchant : undefined)
    const paymentId = PAYMENT_ID.exec(query.payment ?? '')?.[0]
    const { rows, next } = await listActPage(view.ctx, {
      before: beforeOf(query.before),
      since: days?.since ?? null,
      until: days?.until ?? null,
      who: who || null,
      merchantId: merchantId ?? null,
      paymentId: paymentId ?? null,
      limit: PAGE,
    })
    const own = `/${view.world}/audit`
    const cut = { who, day, payment: paymentId, merchant: view.merchantId === null ? merchantId : undefined }
    const title = translate(locale, 'auditTitle')
    const body = html`<p class="lead">${translate(locale, 'auditLead')}</p>
      ${alertOf(day !== '' && !days ? translate(locale, 'eventsDayWrong') : undefined)}
      <search>
        <form method="get" class="fields">
          ${hiddenFields(cut.merchant ? { merchant: cut.merchant } : {})}
          <p class="field"><label for="field-payment">${translate(locale, 'auditPayment')}</label>
            <input id="field-payment" name="payment" value=${paymentId ?? ''} maxlength=${ID_CHARS_MAX} autocomplete="off" /></p>
          <div class="pair">
            <p class="field"><label for="field-who">${translate(locale, 'auditWho')}</label>
              <input id="field-who" name="who" value=${who} maxlength=${TEXT_CHARS_MAX} autocomplete="off" /></p>
            <p class="field"><label for="field-day">${translate(locale, 'day')}</label>
              <input id="field-day" name="day" value=${day} maxlength=${TEXT_CHARS_MAX} autocomplete="off" /></p>
          </div>
          <button class="button quiet">${translate(locale, 'show')}</button>
        </form>
      </search>
      ${filterTags(
        locale,
        Object.entries(cut).flatMap(([name, text]) =>
          text ? [[text, addressWith(own, { ...cut, [name]: '' })] as const] : [],
        ),
      )}
      ${rows.length === 0 ? html`<p class="lead">${translate(locale, next === null ? 'auditNone' : 'auditNoneSoFar')}</p>` : null}
      <ul class="rows">${rows.map((each) => row(visit, view, each))}</ul>
      ${moreLink(locale, next === null ? null : addressWith(own, { ...cut, before: String(next) }))}
      ${view.merchantId === null ? verifyForm(visit, own) : null}`
    return wideScreen({ title, body, ...(day !== '' && !days && { status: 422 }) })
  },
}

/** The number before which the page begins. Anything else in the address means the newest rows. */
const beforeOf = (text = '') => (/^\d{1,15}$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER)

/** An act that a second person may have to grant has a name. Another one is called as the command that does it. */
function commandText(locale: Locale, what: string): Markup {
  const text = actText(locale, what)
  return text === what ? html`<code lang="en">${what}</code>` : html`${text}`
}

function row({ locale }: OwnVisit, { timeZone }: View, each: AuditView): Markup {
  const { number, at, who, from, what, world, merchantId, about, after } = each
  return html`<li>
    <details class="row" id=${`row-${number}`}>
      <summary>
        <strong><bdi>${who}</bdi></strong> <span>${what === CHANGE ? changeText(locale, each) : commandText(locale, what)}</span><br />
        <span class="hint">${namedText(each)}${momentText(at, locale, timeZone)}${world === null ? '' : ` · ${translate(locale, `world_${world}` as 'world_live')}`}</span>
      </summary>
      ${factList([
        [translate(locale, 'auditPayment'), paymentLink(world, about)],
        [translate(locale, 'auditAmount'), amountOf(after, locale)],
        [translate(locale, 'auditNumber'), String(number)],
        [translate(locale, 'auditFrom'), from],
        [translate(locale, 'auditAbout'), about],
        [translate(locale, 'userShop'), merchantId],
        ...changesIn(each, '–').map(([name, old, now]) => [name, `${old} → ${now}`] as const),
      ])}
    </details>
  </li>`
}

const CHANGED = 'audited_'
/** The kinds of things whose changes are recorded, by the table of each. */
type Changed = ConsoleKey extends infer Key ? (Key extends `${typeof CHANGED}${string}` ? Key : never) : never
const CHANGED_KEYS = Object.keys(AUDIT_WORDS.en).filter((key): key is Changed => key.startsWith(CHANGED))

/** What the service changed, in the words of its table. `about` begins with the table. */
function changeText(locale: Locale, { about, before, after }: AuditView): string {
  const [table = ''] = about.split(' ')
  const key = CHANGED_KEYS.find((each) => each === CHANGED + table)
  const how = before === null ? 'audit_added' : after === null ? 'audit_removed' : 'audit_changed'
  return key ? translate(locale, how, { thing: translate(locale, key) }) : translate(locale, 'auditChange')
}

/** The values by which people recognise a thing. */
const NAMES = ['name', 'email', 'origin', 'url'] as const

function namedText({ before, after }: AuditView): string {
  const values = after ?? before ?? {}
  const name = NAMES.map((each) => values[each]).find((value) => typeof value === 'string')
  return name === undefined ? '' : `${name} · `
}

/** Leads to everything that was done about the payment. */
function paymentLink(world: string | null, about: string): Markup | null {
  const id = PAYMENT_ID.exec(about)?.[0]
  return id && world !== null
    ? html`<a href=${addressWith(`/${world}/audit`, { payment: id })}>${id}</a>`
    : null
}

/** What was returned, taken or confirmed, in rows about money. */
function amountOf(after: AuditView['after'], locale: Locale): string | null {
  const currency = CurrencyCode.safeParse(after?.currency)
  return currency.success && typeof after?.amount_minor === 'number'
    ? sumText(after.amount_minor, currency.data, locale)
    : null
}

function verifyForm({ locale, user }: OwnVisit, own: string): Markup {
  return html`<h2>${translate(locale, 'auditVerify')}</h2>
    <p class="hint">${translate(locale, 'auditVerifyLead')}</p>
    ${
      may(user, 'audit verify')
        ? html`<form method="post" action=${`${own}/verify`}>
            <button class="button quiet">${translate(locale, 'auditVerifyDo')}</button>
          </form>`
        : whoMay(locale, 'audit verify')
    }`
}

const verify: ConsolePage = {
  method: 'post',
  path: '/:world/audit/verify',
  needs: 'audit verify',
  isHeavy: true,
  async handle(visit) {
    const { locale } = visit
    const ctx = worldOf(visit)
    const verified = await verifyLog(ctx, { given: [], keys: [] })
    const title = translate(locale, 'auditVerify')
    const body = html`${
      verified.faults.length === 0
        ? noticeOf(translate(locale, 'auditSound', { rows: verified.rows }))
        : alertOf(translate(locale, 'auditFaulty', { count: verified.faults.length }))
    }
      ${foundOf(visit, verified)}`
    return wideScreen({ title, body, back: [`/${ctx.world}/audit`, translate(locale, 'auditTitle')] })
  },
}

function foundOf({ locale }: OwnVisit, { faults, gaps, head, checkpoints }: Verified): Markup {
  const messages = [...faults, ...gaps].slice(0, NAMED_MAX).map(({ message }) => message)
  return html`<ul>${messages.map((message) => html`<li lang="en">${message}</li>`)}</ul>
    ${factList([
      [translate(locale, 'auditNumber'), head && String(head.seq)],
      [translate(locale, 'auditDigest'), head?.digest],
      [translate(locale, 'auditCheckpoints'), String(checkpoints)],
    ])}`
}

export const AUDIT_PAGES: readonly ConsolePage[] = [log, verify]
