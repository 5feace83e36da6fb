/** The addresses where a shop sells: what is reviewed, what waits, and the public keys that work there. */
import type { AnyRow } from '../../acts/act.ts'
import { type Act, may } from '../../acts/policy.ts'
import * as ROWS from '../../acts/rows/reviews.ts'
import { type InstallationRecord, installPageUrl, listInstallations } from '../../merchants/installation.ts'
import { isPage } from '../../merchants/origin.ts'
import { ensureInstallation, serves } from '../../operator/shop/installation.ts'
import { listAddressesOf, type ShopAddress, spellAddress } from '../../operator/shop/reviews.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import { formPage } from '../form-page.ts'
import { field, hiddenFields } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, orWhoMay, whoMay, wideScreen } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { actFor, type ShopView, shopOf, writing } from '../world.ts'
import { beginBook } from './begin-book.ts'

const NOTICES = ['asked', 'withdrawn', 'used', 'approved', 'refused'] as const

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/domains',
  needs: 'merchant show',
  handle: (visit) => domainsScreen(visit),
}

async function domainsScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, user, query, form } = visit
  const view = await shopOf(visit)
  const [addresses, installations] = await Promise.all([
    listAddressesOf(view.ctx, view.merchantId),
    listInstallations(view.ctx, view.merchantId),
  ])
  const done = NOTICES.find((each) => each === query.done)
  const title = translate(locale, 'domainsTitle')
  const body = html`<p class="lead">${translate(locale, 'domainsLead')}</p>
    <ul class="cards">
      ${addresses.map((each) => addressCard(visit, view, { address: each, installations }))}
    </ul>
    ${
      may(user, 'origin ask')
        ? html`<form method="post" action=${`${view.path}/domains/ask`} class="fields card">
            <h2>${translate(locale, 'domainAsk')}</h2>
            ${field({ name: 'address', label: translate(locale, 'domainAddress'), value: form.address ?? '', inputmode: 'url', hint: translate(locale, 'domainAddressHint') })}
            <button class="button">${translate(locale, 'domainAskDo')}</button>
          </form>`
        : whoMay(locale, 'origin ask')
    }
    ${otherKeys(visit, view, { addresses, installations })}
    ${backTo(view.path, view.merchant.name)}`
  return wideScreen({ title, body, problem, notice: done ? translate(locale, `done_${done}`) : null })
}

type Card = { address: ShopAddress; installations: InstallationRecord[] }

function addressCard(visit: OwnVisit, view: ShopView, { address, installations }: Card): Markup {
  const { locale, user } = visit
  const { origin, state, at, why } = address
  const day = at && formatMoment(at.toISOString(), locale, { timeZone: view.timeZone, isZoneKnown: true })
  const button = installations.find((each) => serves(each, origin))
  // For real money the review comes first.
  const canUse = !button && (view.world === 'sandbox' || state === 'approved')
  // The only button leads to the review, because a reviewer has come for that.
  const isReviewer = state === 'waiting' && may(user, 'origin approve')
  return html`<li class="card" data-state=${state}>
    <p class="address"><strong><bdi>${origin}</bdi></strong></p>
    <p>${translate(locale, `domain_${state}`)}${day ? html` <span class="hint">${day}</span>` : null}</p>
    ${why ? html`<p><bdi>${why}</bdi></p>` : null}
    ${button ? html`<p><a href=${keyAddress(view, button)}>${translate(locale, 'domainKey')}</a></p>` : null}
    <div class="acts">
      ${canUse ? orWhoMay(visit, 'installation create', act(view, { end: 'use', origin, label: translate(locale, isPage(origin) ? 'domainUsePage' : 'domainUse'), isQuiet: isReviewer })) : null}
      ${state === 'refused' && may(user, 'origin ask') ? act(view, { end: 'ask', origin, label: translate(locale, 'domainAskAgain') }) : null}
      ${state !== 'approved' && may(user, 'origin withdraw') ? act(view, { end: 'withdraw', origin, label: translate(locale, 'domainWithdraw'), isQuiet: true }) : null}
    </div>
    ${state === 'waiting' ? reviewForms(visit, { path: view.path, origin }) : null}
  </li>`
}

const keyAddress = ({ ctx }: ShopView, { publicKey }: InstallationRecord) => installPageUrl(ctx, publicKey)

type Button = { end: string; origin: string; label: string; isQuiet?: boolean }

function act({ path }: Pick<ShopView, 'path'>, { end, origin, label, isQuiet = false }: Button): Markup {
  return html`<form method="post" action=${`${path}/domains/${end}`}>
    ${hiddenFields({ address: origin })}
    <button class=${`button${isQuiet ? ' quiet' : ''}`}>${label}</button>
  </form>`
}

/** For people who may review it. `path`: the path of the shop's page. */
export function reviewForms(
  { locale, user }: OwnVisit,
  { path, origin }: { path: string; origin: string },
): Markup {
  if (!may(user, 'origin approve')) return whoMay(locale, 'origin approve')
  return html`<div class="acts">${act({ path }, { end: 'approve', origin, label: translate(locale, 'domainApprove') })}</div>
    <details class="more">
      <summary>${translate(locale, 'domainRefuse')}</summary>
      <form method="post" action=${`${path}/domains/refuse`} class="fields">
        ${hiddenFields({ address: origin })}
        ${field({ name: 'why', label: translate(locale, 'domainWhy'), hint: translate(locale, 'domainWhyHint') })}
        <button class="button quiet">${translate(locale, 'domainRefuse')}</button>
      </form>
    </details>`
}

/** Public keys of places that nobody has asked to review, such as those of the sandbox. */
function otherKeys(
  { locale }: OwnVisit,
  view: ShopView,
  { addresses, installations }: { addresses: ShopAddress[]; installations: InstallationRecord[] },
): Markup {
  const others = installations.filter(
    (each) => !each.revokedAt && !addresses.some(({ origin }) => serves(each, origin)),
  )
  if (others.length === 0) return null
  return html`<h2>${translate(locale, 'domainOthers')}</h2>
    <ul class="cards">
      ${others.map((each) => html`<li class="card"><p class="address"><bdi>${each.origins.join(', ') || each.shopUrl}</bdi></p><p><a href=${keyAddress(view, each)}>${translate(locale, 'domainKey')}</a></p></li>`)}
    </ul>`
}

type Verb = {
  end: 'ask' | 'withdraw' | 'approve' | 'refuse'
  row: AnyRow
  done: (typeof NOTICES)[number]
  values?(form: Record<string, string>): object
}

const VERBS: readonly Verb[] = [
  { end: 'ask', row: ROWS.ask, done: 'asked' },
  { end: 'withdraw', row: ROWS.withdraw, done: 'withdrawn' },
  { end: 'refuse', row: ROWS.refuse, done: 'refused', values: ({ why = '' }) => ({ why }) },
  { end: 'approve', row: ROWS.approve, done: 'approved' },
]

const forms: readonly ConsolePage[] = VERBS.map(({ end, row, done, values }) =>
  formAt(end, row.name, done, async (visit, merchantId) => {
    const { address = '' } = visit.form
    const given = end === 'approve' ? placeOf(address) : { address, ...values?.(visit.form) }
    await actFor(visit, row, merchantId, { merchantId, ...given })
  }),
)

/** Only a site or a public page can be approved. @throws AppError validation_failed */
function placeOf(text: string): { origin: string } | { page: string } {
  const address = spellAddress(text)
  return isPage(address) ? { page: address } : { origin: address }
}

const use = formAt('use', 'installation create', 'used', async (visit, merchantId) => {
  const ctx = writing(visit, 'installation create', merchantId)
  await ensureInstallation(ctx, merchantId, visit.form.address ?? '')
  await beginBook(visit, merchantId)
})

function formAt(
  end: string,
  needs: Act,
  done: (typeof NOTICES)[number],
  work: (visit: OwnVisit, merchantId: string) => Promise<void>,
): ConsolePage {
  return formPage({
    path: `/:world/shops/:merchant/domains/${end}`,
    needs,
    again: domainsScreen,
    async send(visit) {
      const { merchantId, path } = await shopOf(visit)
      await work(visit, merchantId)
      return `${path}/domains?done=${done}`
    },
  })
}

export const DOMAIN_PAGES: readonly ConsolePage[] = [page, ...forms, use]
