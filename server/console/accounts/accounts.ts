/** Provider accounts: what is known of each contract, how it is, and testing it. No secret is ever shown. */
import { actAs } from '../../access/acting.ts'
import type { AccountFacts, RightFact } from '../../accounts/account-facts.ts'
import { type AccountView, getAccountView, listAccounts } from '../../accounts/manage.ts'
import { may } from '../../acts/policy.ts'
import { testAccount } from '../../operator/account-check.ts'
import { listRoutes } from '../../operator/routes.ts'
import { html, type Markup } from '../../pages/html.ts'
import { capitalized, formatAmount, type Locale } from '../../pages/words/locale.ts'
import { listMerchantNames } from '../../storage/merchants/merchants.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { whoMay, wideScreen } from '../page-parts.ts'
import { type FactLine, factList, momentText, secondsText } from '../parts.ts'
import { noticeAfter } from '../settings/done.ts'
import { settingLabel, settingValue } from '../settings/driver-fields.ts'
import { groupOf } from '../settings/links.ts'
import { translate } from '../words/translate.ts'
import { type View, viewOf, worldOf } from '../world.ts'
import { findOwn } from './own.ts'

/** More accounts than this are not shown. Each is a contract with a provider, so there are seldom more. */
const SHOWN_MAX = 200

const list: ConsolePage = {
  method: 'get',
  path: '/:world/accounts',
  needs: 'account list',
  async handle(visit) {
    const { locale } = visit
    const { ctx, world, merchantId } = await viewOf(visit)
    const all = await listAccounts(ctx, { all: true })
    const own = all.filter(({ owner }) => merchantId === null || owner === merchantId)
    const shown = own.slice(0, SHOWN_MAX)
    const names = await listMerchantNames(
      ctx.db,
      shown.map(({ owner }) => owner),
    )
    const missing = merchantId === null ? listRoutes(ctx).filter(({ ready }) => !ready) : []
    const title = translate(locale, 'accountsTitle')
    const body = html`${own.length === 0 ? html`<p class="lead">${translate(locale, 'accountsNone')}</p>` : null}
      <ul class="rows">${shown.map((each) => row(locale, { world, names }, each))}</ul>
      ${own.length > SHOWN_MAX ? html`<p class="hint">${translate(locale, 'accountsMore', { count: SHOWN_MAX })}</p>` : null}
      ${
        missing.length > 0
          ? html`<h2>${translate(locale, 'routesMissing')}</h2>
              ${factList(missing.map(({ route, missingEnv, reason }): FactLine => [route, missingEnv.join(', ') || reason]))}`
          : null
      }`
    return wideScreen({ title, body })
  },
}

/** `names`: of the owners, by their ids. */
function row(
  locale: Locale,
  { world, names }: { world: string; names: ReadonlyMap<string, string> },
  account: AccountView,
): Markup {
  const { accountId, route, driver, currencies, owner, health, retiredAt, blocks } = account
  const state = retiredAt ? translate(locale, 'accountRetired') : translate(locale, `health_${health.state}`)
  return html`<li>
    <a href=${`/${world}/accounts/${accountId}`} class="row" data-health=${health.state}>
      <strong>${driver} · ${route}</strong>
      <span>${state}</span>
      <span class="hint">${currencies.join(', ')} · ${owner === null ? translate(locale, 'accountShared') : (names.get(owner) ?? owner)}${blocks.length > 0 ? ` · ${translate(locale, 'accountBlocks', { currencies: blocks.join(', ') })}` : ''}</span>
    </a>
  </li>`
}

const page: ConsolePage = {
  method: 'get',
  path: '/:world/accounts/:account',
  needs: 'account list',
  async handle(visit) {
    const { view, account } = await findOwn(visit)
    return screenOf(visit, view, account)
  },
}

function screenOf(
  visit: OwnVisit,
  { world, timeZone }: View,
  account: AccountView,
  findings: Markup = null,
): Screen {
  const { locale, user } = visit
  const { accountId, route, driver, health, problem, lastRefusal, blocks } = account
  const at = (moment: string | null | undefined) => momentText(moment ?? null, locale, timeZone)
  const title = translate(locale, 'accountTitle', { driver, route })
  const body = html`${noticeAfter(visit)} ${findings}
    <section class="advice" data-health=${health.state}>
      <h2>${capitalized(translate(locale, `health_${health.state}`), locale)}</h2>
      ${factList([
        [translate(locale, 'since'), at(health.since)],
        [translate(locale, 'saidReason'), health.reason ?? problem],
        [translate(locale, 'recommended'), health.advice],
        [translate(locale, 'accountRefused'), lastRefusal && `${at(lastRefusal.at)}: ${lastRefusal.message}`],
        [translate(locale, 'accountBlocked'), blocks.join(', ')],
      ])}
    </section>
    ${
      may(user, 'account test')
        ? html`<form method="post" action=${`/${world}/accounts/${accountId}/test`}><button class="button">${translate(locale, 'accountTest')}</button>
            <small>${translate(locale, 'accountTestHint')}</small></form>`
        : whoMay(locale, 'account test')
    }
    <h2>${translate(locale, 'accountFacts')}</h2>
    ${factList([
      [translate(locale, 'account'), accountId],
      [translate(locale, 'accountOwner'), account.owner ?? translate(locale, 'accountShared')],
      [translate(locale, 'accountCurrencies'), account.currencies.join(', ')],
      [translate(locale, 'accountSince'), at(account.activeFrom)],
      [translate(locale, 'accountRetired'), at(account.retiredAt)],
      [translate(locale, 'accountCallback'), account.callbackUrl],
      [translate(locale, 'accountReturn'), account.returnUrl],
    ])}
    ${account.facts ? contractOf(locale, timeZone, account.facts) : null}
    ${groupOf(visit, 'account', `/${world}/accounts/${accountId}`, { title: 'setAccount', facts: settingsOf(locale, account) })}`
  return wideScreen({ title, body, back: [`/${world}/accounts`, translate(locale, 'accountsTitle')] })
}

/** The settings, with the labels that the forms below have. */
const settingsOf = (locale: Locale, { driver, settings, credentials }: AccountView): FactLine[] => [
  ...Object.entries(settings).map(
    ([name, value]): FactLine => [settingLabel(locale, driver, name), settingValue(locale, name, value)],
  ),
  [translate(locale, 'accountCredentials'), credentials.join(', ')],
]

/** Of a right that the provider has not shown there is nothing to say but that. Such rights stand in one line. */
const isSupposed = ({ state, reason }: RightFact) => state === 'assumed' && !reason

/** What the provider has shown, and what is only assumed. */
function contractOf(
  locale: Locale,
  timeZone: string,
  { callbacks, amounts, rights, orderNumbers, timeLimits }: AccountFacts,
): Markup {
  const calls = !callbacks
    ? translate(locale, 'callsBackNever')
    : !callbacks.setUp
      ? translate(locale, 'callsBackNot')
      : callbacks.lastSeenAt === null
        ? translate(locale, 'callsBackUnseen')
        : translate(locale, 'callsBackSeen', { at: momentText(callbacks.lastSeenAt, locale, timeZone) ?? '' })
  return html`<h2>${translate(locale, 'accountContract')}</h2>
    ${factList([
      ...rights
        .filter((each) => !isSupposed(each))
        .map(
          ({ right, state, reason }): FactLine => [
            translate(locale, `right_${right}`),
            translate(locale, `rightIs_${state}`) + (reason ? `: ${reason}` : ''),
          ],
        ),
      [
        capitalized(translate(locale, 'rightIs_assumed'), locale),
        rights
          .filter(isSupposed)
          .map(({ right }) => translate(locale, `right_${right}`))
          .join(', '),
      ],
      [translate(locale, 'callsBack'), calls],
      ...amounts.map(
        ({ currency, smallestMinor, largestMinor }): FactLine => [
          translate(locale, 'accountAmounts', { currency }),
          `${formatAmount(smallestMinor, currency, locale)} – ${formatAmount(largestMinor, currency, locale)}`,
        ],
      ),
      [
        translate(locale, 'accountNumbers'),
        translate(locale, orderNumbers === 'number' ? 'numbersWhole' : 'numbersText'),
      ],
      ...timeLimits.map(
        ({ calls: kind, seconds }): FactLine => [
          translate(locale, `limit_${kind}`),
          secondsText(seconds, locale),
        ],
      ),
    ])}`
}

const test: ConsolePage = {
  method: 'post',
  path: '/:world/accounts/:account/test',
  needs: 'account test',
  async handle(visit) {
    const { user, address, locale } = visit
    const { view, account } = await findOwn(visit)
    const acting = actAs(worldOf(visit), user, { address, what: 'account test', about: account.accountId })
    const found = await testAccount(acting.ctx, account.accountId)
    const isWell = found.every(({ state }) => state !== 'problem')
    const shown = html`<section class="advice" role="status">
      <h2>${translate(locale, isWell ? 'accountTestWell' : 'accountTestWrong')}</h2>
      <ul class="findings" lang="en">
        ${found.map(({ state, message }) => html`<li data-state=${state}><strong lang=${locale}>${translate(locale, `finding_${state}`)}</strong> ${message}</li>`)}
      </ul>
    </section>`
    // What the test has shown is part of the account now.
    return screenOf(visit, view, await getAccountView(view.ctx, account.accountId), shown)
  },
}

export const ACCOUNT_PAGES: readonly ConsolePage[] = [list, page, test]
