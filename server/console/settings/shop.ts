/** The settings of one shop: what is set, and the way to each change. */

import { listAccounts } from '../../accounts/manage.ts'
import { shortNumber } from '../../id.ts'
import { type ApiKeyRecord, listTokens, returnsMoney, tokenState } from '../../merchants/api-key.ts'
import { listInstallations } from '../../merchants/installation.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { listOrigins } from '../../merchants/origin.ts'
import { listMerchantRoutes } from '../../operator/merchant-routes.ts'
import { html } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { amountsText } from '../../payments/money.ts'
import { ORDER_BOOK_URL, withoutQuery } from '../../receivers/receiver.ts'
import { listWaitingTokens } from '../../storage/restores/waiting.ts'
import type { Scene } from '../acts/act.ts'
import { BASES, sceneOf } from '../acts/scene.ts'
import type { ConsolePage } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import type { FactLine } from '../parts.ts'
import { momentText } from '../parts.ts'
import { type ConsoleKey, translate } from '../words/translate.ts'
import { noticeAfter } from './done.ts'
import { groupOf } from './links.ts'

/** More of a kind are not shown, the newest first. */
const SHOWN_MAX = 50

type Row = { title: ConsoleKey; facts(scene: Scene): Promise<readonly FactLine[]> }

const GROUPS: readonly Row[] = [
  {
    title: 'setShop',
    async facts({ visit: { locale }, ctx, about, timeZone }) {
      const { name, state, stoppedAt, stoppedWhy } = await getMerchant(ctx, about)
      const routes = await listMerchantRoutes(ctx, about)
      return [
        [translate(locale, 'setName'), name],
        [translate(locale, 'setState'), translate(locale, `merchant_${state}`)],
        [translate(locale, 'since'), momentText(stoppedAt, locale, timeZone)],
        [translate(locale, 'why'), stoppedWhy],
        [translate(locale, 'setRoutes'), routes.map(({ route, label }) => `${route}=${label}`).join('; ')],
      ]
    },
  },
  {
    title: 'setEvents',
    async facts(scene) {
      const { callbackUrl } = await getMerchant(scene.ctx, scene.about)
      return [[translate(scene.visit.locale, 'callbackUrl'), receiverText(scene.visit.locale, callbackUrl)]]
    },
  },
  {
    title: 'setSites',
    async facts({ visit: { locale }, ctx, about }) {
      return (await listOrigins(ctx, about))
        .slice(0, SHOWN_MAX)
        .map(({ origin, trustedAt, approvedAt }) => [
          origin,
          [trustedAt && translate(locale, 'setAllowed'), approvedAt && translate(locale, 'setReviewed')]
            .filter((text) => text !== null)
            .join(', '),
        ])
    },
  },
  {
    title: 'setKeys',
    async facts({ visit: { locale }, ctx, about }) {
      const keys = (await listInstallations(ctx, about)).toReversed().slice(0, SHOWN_MAX)
      return keys.map(({ publicKey, origins, shopUrl, revokedAt }) => [
        publicKey,
        revokedAt ? translate(locale, 'setRevoked') : origins.join(', ') || shopUrl,
      ])
    },
  },
  {
    title: 'setAccounts',
    async facts({ visit: { locale }, ctx, about }) {
      const accounts = (await listAccounts(ctx, { all: true })).filter(({ owner }) => owner === about)
      return accounts
        .slice(0, SHOWN_MAX)
        .map(({ accountId, driver, route, retiredAt, health }) => [
          `${driver} · ${route}`,
          `${retiredAt ? translate(locale, 'accountRetired') : translate(locale, `health_${health.state}`)} · ${shortNumber(accountId)}`,
        ])
    },
  },
  {
    title: 'setTokens',
    async facts({ visit: { locale }, ctx, about, timeZone }) {
      const tokens = (await listTokens(ctx, about)).toReversed().slice(0, SHOWN_MAX)
      const waiting = new Map(
        (await listWaitingTokens(ctx.db, ctx.clock.now())).map(({ id, waits }) => [id, waits]),
      )
      return tokens.map((each) => [
        shortNumber(each.id),
        `${translate(locale, `token_${tokenState(each, ctx.clock.now())}`)} · ${momentText(each.createdAt, locale, timeZone)} · ${each.scopes.join(', ')}${refundsOf(locale, each)}${waitingOf(locale, waiting.get(each.id))}`,
      ])
    },
  },
]

/** An address may carry a secret in its query. */
const receiverText = (locale: Locale, url: string | null): string =>
  url === null ? '–' : url === ORDER_BOOK_URL ? translate(locale, 'setOrderBook') : withoutQuery(url)

/** `waits`: after a restore, `true` for a token that is on hold, and `false` for a working token that nobody has reviewed. */
const waitingOf = (locale: Locale, waits: boolean | undefined): string =>
  waits === undefined ? '' : ` · ${translate(locale, waits ? 'setTokenWaits' : 'setTokenListed')}`

/** What the token may return, beside its scopes. */
function refundsOf(locale: Locale, token: ApiKeyRecord): string {
  if (!returnsMoney(token)) return ''
  if (token.issuedBy === null) return ` · ${translate(locale, 'setTokenOld')}`
  const { refundLimits, refundLimitsDay } = token
  const own = refundLimits && `${translate(locale, 'acts.token.refundLimits')}: ${amountsText(refundLimits)}`
  const day =
    refundLimitsDay && `${translate(locale, 'acts.token.refundLimitsDay')}: ${amountsText(refundLimitsDay)}`
  return [own, day].map((part) => (part ? ` · ${part}` : '')).join('')
}

export const shopSettings: ConsolePage = {
  method: 'get',
  path: BASES.shop,
  needs: 'merchant show',
  async handle(visit) {
    const { locale } = visit
    const scene = await sceneOf('shop', visit)
    const groups = await Promise.all(
      GROUPS.map(async ({ title, facts }) => ({ title, facts: await facts(scene) })),
    )
    const title = translate(locale, 'settingsTitle')
    const body = html`${noticeAfter(visit)}
      ${groups.map((group) => groupOf(visit, 'shop', scene.path, group))}`
    return wideScreen({ title, body, back: [scene.path.replace(/\/settings$/, ''), scene.name] })
  },
}
