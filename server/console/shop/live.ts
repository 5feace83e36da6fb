/** Going live: each step in the owner's words. What the owner can do is done from here, and the rest says who does it. */

import { actAs, reading } from '../../access/acting.ts'
import { type Act, may } from '../../acts/policy.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { findTestPayment } from '../../merchants/onboarding.ts'
import { copyMerchantToLive } from '../../operator/copy-merchant.ts'
import { canMail, confirmTest, verifyOrderBook } from '../../operator/orders/book.ts'
import { chooseOrderBook } from '../../operator/orders/choose.ts'
import { type GoingLive, getGoingLive, type LiveStep } from '../../operator/shop/going-live.ts'
import { html, type Markup } from '../../pages/html.ts'
import { mainWorld } from '../../worlds.ts'
import { doOrShowRefusal } from '../form-page.ts'
import { alertOf, hiddenFields, noticeOf } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, whoMay } from '../page-parts.ts'
import { momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { type ShopView, shopOf } from '../world.ts'
import { personOf } from './begin-book.ts'
import { limitAdvice } from './limit-advice.ts'

const NOTICES = [
  'bookChosen',
  'bookProposed',
  'testMailed',
  'testSeen',
  'testMissing',
  'copied',
  'copiedKept',
] as const
type Done = (typeof NOTICES)[number]

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/live',
  needs: 'merchant show',
  handle: (visit) => liveScreen(visit),
}

type Shown = { problem?: string; secret?: string | null }

async function liveScreen(visit: OwnVisit, { problem, secret = null }: Shown = {}): Promise<Screen> {
  const { locale, query, worlds } = visit
  const view = await shopOf(visit)
  const { steps, news, isServed } = await getGoingLive(readingBoth(worlds), view.merchantId)
  const open = steps.filter(({ done }) => !done).length
  const done = NOTICES.find((each) => each === query.done)
  const title = translate(locale, 'liveTitle')
  const items = await Promise.all(steps.map((step) => stepItem(visit, view, { step, news })))
  const body = html`<div class="parts">
    <h1>${title}</h1>
    ${problem === undefined ? noticeOf(done ? translate(locale, `done_${done}`) : null) : alertOf(problem)}
    ${secret === null ? null : html`<p class="done" role="status">${translate(locale, 'liveSecret')} <code class="secret">${secret}</code></p>`}
    <p class="lead">${open === 0 ? translate(locale, 'liveReady') : translate(locale, 'liveOpen', { count: String(open) })}</p>
    ${isServed ? null : html`<p class="hint">${translate(locale, 'liveNotServed')}</p>`}
    <ol class="steps">${items}</ol>
    ${await limitAdvice(visit)}
    ${backTo(view.path, view.merchant.name)}
  </div>`
  return { kind: 'screen', title, body, ...(problem !== undefined && { status: 422 }) }
}

const readingBoth = ({ sandbox, live }: OwnVisit['worlds']) => ({
  sandbox: reading(sandbox),
  ...(live && { live: reading(live) }),
})

type Item = { step: LiveStep; news: GoingLive['news'] }

async function stepItem(visit: OwnVisit, view: ShopView, { step, news }: Item): Promise<Markup> {
  const { locale, user } = visit
  const { step: name, done, who, ended } = step
  const text = translate(locale, name === 'news' ? `live_news_${news}` : `live_${name}_text`)
  const isMine = who === 'shop' || may(user, 'merchant copy')
  return html`<li class="step" data-done=${done ? 'yes' : 'no'}>
    <h2><span class="mark">${translate(locale, done ? 'liveDone' : 'liveTodo')}</span> ${translate(locale, `live_${name}`)}</h2>
    ${done ? null : html`<p>${text}</p>`}
    ${done || isMine ? null : html`<p class="hint">${translate(locale, `liveWho_${who}`)}</p>`}
    ${done ? null : endedText(visit, view, ended)}
    ${done ? null : await wayOf(visit, view, { name, news, who })}
  </li>`
}

function endedText({ locale }: OwnVisit, { timeZone }: ShopView, ended: LiveStep['ended']): Markup {
  if (!ended) return null
  const { how, why } = ended
  const at = momentText(ended.at, locale, timeZone) ?? ''
  return html`<p class="advice">${translate(locale, `bankEnded_${how}`, { at })}. ${why ? html`${translate(locale, 'bankEndedWhy')} <bdi>${why}</bdi> ` : null}${translate(locale, `bankNext_${how}`)}</p>`
}

type Way = { name: LiveStep['step']; news: GoingLive['news']; who: LiveStep['who'] }

async function wayOf(visit: OwnVisit, view: ShopView, { name, news, who }: Way): Promise<Markup> {
  const { locale, user } = visit
  /** Everybody who may see the shop may open a page that only shows something. */
  const link = (end: string, label: string, needs: Act = 'merchant show') =>
    may(user, needs)
      ? html`<p><a class="button" href=${`${view.path}/${end}`}>${label}</a></p>`
      : whoMay(locale, needs)
  switch (name) {
    case 'product':
      return may(user, 'product set')
        ? html`<p><a class="button" href=${`/sandbox/shops/${view.merchantId}/add-product`}>${translate(locale, 'productAdd')}</a></p>`
        : whoMay(locale, 'product set')
    case 'contact':
      return link('brand', translate(locale, 'brandTitle'))
    case 'address':
      return link('domains', translate(locale, who === 'shop' ? 'domainAsk' : 'domainsTitle'))
    case 'test':
      return html`<p><a class="button" href=${`/sandbox/shops/${view.merchantId}/share`}>${translate(locale, 'liveTry')}</a></p>`
    case 'news':
      return newsWay(visit, view, news)
    case 'told':
      return may(user, 'order mails')
        ? html`<p><a class="button" href=${`/${mainWorld(visit.worlds).world}/shops/${view.merchantId}/notices`}>${translate(locale, 'liveToldDo')}</a></p>`
        : whoMay(locale, 'order mails')
    case 'copy':
      return button(visit, view, { end: 'copy', label: translate(locale, 'liveCopyDo') })
    case 'account':
      return html`<p><a class="button" href=${`/live/shops/${view.merchantId}/bank`}>${translate(locale, who === 'shop' ? 'bankAsk' : 'bankTitle')}</a></p>`
  }
}

function button(
  { locale, user }: OwnVisit,
  { path }: ShopView,
  { end, label }: { end: keyof typeof NEEDS; label: string },
): Markup {
  if (!may(user, NEEDS[end])) return whoMay(locale, NEEDS[end])
  return html`<form method="post" action=${`${path}/live/${end}`}>
    ${hiddenFields({ confirm: 'yes' })}
    <button class="button">${label}</button>
  </form>`
}

async function newsWay(visit: OwnVisit, view: ShopView, news: GoingLive['news']): Promise<Markup> {
  const { locale, user } = visit
  const settings = `/${mainWorld(visit.worlds).world}/shops/${view.merchantId}/settings`
  if (news === 'none')
    return html`${button(visit, view, { end: 'book', label: translate(locale, 'liveBookDo') })}
      ${may(user, 'callback set') ? html`<p><a href=${`${settings}/callback-set`}>${translate(locale, 'liveProgramDo')}</a></p>` : null}`
  if (news === 'program')
    return may(user, 'callback verify')
      ? html`<p><a class="button" href=${`${settings}/callback-verify`}>${translate(locale, 'liveCheckDo')}</a></p>`
      : whoMay(locale, 'callback verify')
  const main = reading(mainWorld(visit.worlds))
  const notices = html`<p><a href=${`${view.path}/notices`}>${translate(locale, 'noticesTitle')}</a></p>`
  if (await canMail(main, view.merchantId))
    return html`${button(visit, view, { end: 'mail', label: translate(locale, 'liveMailDo') })}${notices}`
  const isPaid = (await findTestPayment(main, view.merchantId)) !== null
  return html`${isPaid ? button(visit, view, { end: 'seen', label: translate(locale, 'liveSeenDo') }) : html`<p class="hint">${translate(locale, 'liveTestFirst')}</p>`}${notices}`
}

const NEEDS = {
  book: 'callback set',
  mail: 'callback verify',
  seen: 'callback verify',
  copy: 'merchant copy',
} as const satisfies Record<string, Act>

type Step = {
  end: Exclude<keyof typeof NEEDS, 'copy'>
  run(given: { ctx: Context; visit: OwnVisit; merchantId: string }): Promise<Done>
}

const STEPS: readonly Step[] = [
  {
    end: 'book',
    async run({ ctx, visit, merchantId }) {
      const person = personOf(visit.user)
      // The test purchase counts once something has its news. First, because the button is gone after the other world's choice.
      await keepTestOrders(visit, merchantId)
      return (await chooseOrderBook(ctx, person, merchantId)) === 'chosen' ? 'bookChosen' : 'bookProposed'
    },
  },
  {
    end: 'mail',
    async run({ ctx, merchantId }) {
      await verifyOrderBook(ctx, merchantId)
      return 'testMailed'
    },
  },
  {
    end: 'seen',
    run: async ({ ctx, merchantId }) =>
      (await confirmTest(ctx, merchantId, { inConsole: true })) ? 'testSeen' : 'testMissing',
  },
]

/** A program that gets the news of the sandbox keeps them. */
async function keepTestOrders({ worlds, user, address }: OwnVisit, merchantId: string): Promise<void> {
  if (!worlds.live || (await getMerchant(worlds.sandbox, merchantId)).callbackUrl !== null) return
  const { ctx } = actAs(worlds.sandbox, user, { address, what: NEEDS.book, about: merchantId })
  await chooseOrderBook(ctx, personOf(user), merchantId)
}

/** Each is about the world with real money, if it is served. */
const forms: readonly ConsolePage[] = STEPS.map(
  ({ end, run }): ConsolePage => ({
    method: 'post',
    path: `/:world/shops/:merchant/live/${end}`,
    needs: NEEDS[end],
    async handle(visit: OwnVisit) {
      const view = await shopOf(visit)
      const { merchantId } = view
      if (visit.form.confirm !== 'yes') return liveScreen(visit)
      const about = { address: visit.address, what: NEEDS[end], about: merchantId }
      return doOrShowRefusal(
        visit.locale,
        async () => {
          const { ctx } = actAs(mainWorld(visit.worlds), visit.user, about)
          return `${view.path}/live?done=${await run({ ctx, visit, merchantId })}`
        },
        (problem) => liveScreen(visit, { problem }),
      )
    },
  }),
)

/** The secret of the live world is shown once, to whoever copies. */
const copy: ConsolePage = {
  method: 'post',
  path: '/:world/shops/:merchant/live/copy',
  needs: NEEDS.copy,
  async handle(visit) {
    const { merchantId, path } = await shopOf(visit)
    const { worlds, user, address } = visit
    if (visit.form.confirm !== 'yes') return liveScreen(visit)
    if (!worlds.live) throw new AppError('not_found')
    const about = { address, what: 'merchant copy', about: merchantId }
    const live = actAs(worlds.live, user, about).ctx
    let secret: string | null = null
    const shown = await doOrShowRefusal(
      visit.locale,
      async () => {
        const both = { sandbox: reading(worlds.sandbox), live }
        await user.prove({ what: 'merchant copy', world: live.world, args: { merchantId } })
        const { webhookSecret, kept } = await copyMerchantToLive(both, merchantId)
        secret = webhookSecret
        return `${path}/live?done=${kept.length > 0 ? 'copiedKept' : 'copied'}`
      },
      (problem) => liveScreen(visit, { problem }),
    )
    return secret === null ? shown : liveScreen(visit, { secret })
  },
}

export const LIVE_PAGES: readonly ConsolePage[] = [page, ...forms, copy]
