/** Why a setting was refused stands in the reader's language: no page of a reader of another language has a sentence in English. */
import { describe, expect, test } from 'vitest'
import { issueToken, revokeToken } from '../../merchants/api-key.ts'
import { createInstallation } from '../../merchants/installation.ts'
import { setMerchantState } from '../../merchants/merchant.ts'
import { createLink } from '../../testing/calls.ts'
import { hiddenIn } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { CONSOLE_WORDS } from '../words/translate.ts'

const { kassa, shop, signInWithPasskey } = await openConsole({
  settings: { RATE_LIMITS: 'page=1000:1000,person=1000:1000' },
})
const root = await signInWithPasskey('administrator', { name: 'Root' })

type Refusal = {
  at: () => Promise<string> | string
  form: () => Promise<Record<string, string>> | Record<string, string>
}
const own = (end: string) => () => `/sandbox/shops/${shop.merchantId}/settings/${end}`
const install = async () =>
  (
    await createInstallation(kassa.ctx, {
      merchantId: shop.merchantId,
      origins: ['https://one.example'],
      returnUrl: 'https://one.example/done',
    })
  ).id
/** Both presses, with what a person could send although the page offers something else. */
const REFUSALS: Record<string, Refusal> = {
  'a callback URL with a password': {
    at: own('callback-set'),
    form: () => ({ url: 'https://user:secret@shop.example/events' }),
  },
  'an address of a site that is not on the list': {
    at: own('installation-forbid'),
    form: async () => ({ installation: await install(), origin: 'https://two.example' }),
  },
  'the address to which buyers come back': {
    at: own('installation-forbid'),
    form: async () => ({ installation: await install(), origin: 'https://one.example' }),
  },
  'values of an account that are missing and wrong': {
    at: own('account-set?driver=manual'),
    form: () => ({ driver: 'manual', route: 'manual', s_ACCOUNT: '1' }),
  },
  'a limit while one person alone could approve': {
    at: () => '/sandbox/settings/approval-limit',
    form: () => ({ currency: 'USD', limitMinor: '500' }),
  },
  'a limit of a token that is revoked': {
    at: own('token-rotate'),
    async form() {
      const { tokenId } = await issueToken(kassa.ctx, { merchantId: shop.merchantId })
      await revokeToken(kassa.ctx, tokenId)
      return { tokenId, overlap: '1h' }
    },
  },
  'a buyer without a whole address': {
    at: () => '/sandbox/settings/customer-forget',
    form: () => ({ phone: '12' }),
  },
  'a line of a way to pay that is none': {
    at: own('merchant-routes'),
    form: () => ({ routes: 'Bank card' }),
  },
  'a mark that does not exist': {
    at: own('merchant-routes'),
    form: () => ({ routes: 'route_a=Visa', marks: 'route_a=coin' }),
  },
  'a name of a way to pay that is not offered': {
    at: own('merchant-routes'),
    form: () => ({ routes: 'route_a=Visa', labelHy: 'route_b=Visa' }),
  },
  'a way to pay that is given twice': {
    at: own('merchant-routes'),
    form: () => ({ routes: 'route_a=Visa\nroute_a=Card' }),
  },
  'closing a shop with open payments': {
    at: own('merchant-close'),
    async form() {
      await createLink(kassa.url, shop, { key: 'open' })
      return { why: '' }
    },
  },
  'no replaced secret': { at: own('callback-end-secret'), form: () => ({}) },
  'a clock moved too far': { at: () => '/sandbox/settings/clock-advance', form: () => ({ by: '9000d' }) },
}

const textOf = (page: string) =>
  page
    .replaceAll(/<(script|style|svg|code|option|textarea|bdi|dd|small)[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')

describe.each(['ru', 'hy'] as const)('in %s', (locale) => {
  test.each(Object.entries(REFUSALS))(
    '%s is refused in the words of the reader',
    async (_name, { at, form }) => {
      const place = await at()
      // The choice of a language is answered by a redirect, which has no form.
      await root.get(`/?locale=${locale}`)
      const filledIn = await form()
      const given = { ...hiddenIn((await root.get(place)).text), ...filledIn }
      let shown = await root.post(place, given)
      if (shown.status === 200) shown = await root.post(place, { ...given, ...hiddenIn(shown.text) })
      expect(shown.status).toBe(422)
      expect(shown.text).not.toContain(CONSOLE_WORDS[locale].refused_changed)
      expect(shown.text).not.toContain('class="advice" lang="en"')
      const alerts = [
        ...shown.text.matchAll(/(?:role="alert"|class="(?:alert|wrong|problem)[^"]*")[^>]*>([^<]+)/g),
      ]
      expect(alerts.map(([, text = '']) => text).join(' ')).toMatch(locale === 'ru' ? /[а-я]{3}/ : /[ա-ֆ]{3}/)
      expect(textOf(shown.text)).not.toMatch(/\b(is not|must|does not|Set [A-Z]+)\b/)
    },
  )
})

test('a shop that is closed is not paused, in the words of the reader', async () => {
  const other = await openShop(kassa.ctx)
  await setMerchantState(kassa.ctx, other.merchantId, { state: 'closed' })
  await expect(setMerchantState(kassa.ctx, other.merchantId, { state: 'paused' })).rejects.toMatchObject({
    details: { reason: 'merchant_closed' },
  })
})
