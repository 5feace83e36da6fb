/** What people type of a shop: names that cannot steer a terminal, a mail or a page, and origins as people write them. */
import { describe, expect, test } from 'vitest'
import { addOperator } from '../audit/people.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { openShop } from '../testing/harness.ts'
import { operateHere, operateJson } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'
import { setBranding } from './branding.ts'
import { renameMerchant } from './merchant.ts'
import { asBrowsersSend } from './origin-spelling.ts'
import { setProduct } from './product.ts'
import { setMerchantRoutes } from './routes.ts'

const { kassa, shop } = await openScene()

/** Names that reach a terminal, a mail or a page cannot steer it, by whichever door they enter. */
describe('a name', () => {
  const HOSTILE = {
    'a line break': 'Tea\nhouse',
    'a carriage return': 'Tea\rhouse',
    'a tab': 'Tea\thouse',
    ESC: 'Tea\u001b[31mhouse',
    'the 8-bit form of ESC [': 'Tea\u009b31m',
    'a line separator': 'Tea\u2028house',
    'a next line': 'Tea\u0085house',
    'an override': 'Tea\u202eesuoh',
    'an isolate': '\u2066Tea',
    'a mark': 'Tea\u200f',
    'an Arabic mark': 'Tea\u061c',
    DEL: 'Tea\u007f',
  }

  const product = { id: 'tea', name: 'Tea', amountMinor: 1500, currency: 'USD', provider: null } as const

  /** Every door by which a name enters. */
  const DOORS: Record<string, (name: string) => Promise<unknown>> = {
    'a new merchant': (name) => createMerchant(kassa.ctx, { name }),
    'a renamed merchant': (name) => renameMerchant(kassa.ctx, shop.merchantId, name),
    'a public name': (name) => setBranding(kassa.ctx, shop.merchantId, { name }),
    'a public name in a language': (name) => setBranding(kassa.ctx, shop.merchantId, { names: { hy: name } }),
    'a person': (name) => addOperator(kassa.ctx, { name, role: 'viewer' }),
    'a product': (name) => setProduct(kassa.ctx, { ...product, merchantId: shop.merchantId, name }),
    'the id of a product': (id) => setProduct(kassa.ctx, { ...product, merchantId: shop.merchantId, id }),
    'a product in a language': (name) =>
      setProduct(kassa.ctx, { ...product, merchantId: shop.merchantId, display: { names: { ru: name } } }),
    'the label of a route': (label) =>
      setMerchantRoutes(kassa.ctx, shop.merchantId, [{ route: 'route_a', label }]),
  }

  test.each(Object.keys(DOORS))('%s takes no name that could steer its reader', async (door) => {
    for (const [what, name] of Object.entries(HOSTILE))
      await expect(DOORS[door]?.(name), what).rejects.toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(/one line of text|the id/i),
      })
  })

  test('names in our languages are taken, and a description may have several lines', async () => {
    for (const name of ['Թեյի տուն', 'Чайный дом «Сад»', "Tea & Co. – the 'house' №1", 'Թեյ ☕'])
      await renameMerchant(kassa.ctx, shop.merchantId, name)
    const own = { ...product, merchantId: shop.merchantId }
    await setProduct(kassa.ctx, { ...own, display: { description: 'Black tea.\nFrom the mountains.' } })
    await expect(
      setProduct(kassa.ctx, { ...own, display: { description: 'Black \u202eaet' } }),
    ).rejects.toThrow('control characters')
  })
})

/** An origin whose host is written in its own script: stored, shown and compared as browsers send it. */
describe('an origin whose host is written in its own script', () => {
  const run = async (...args: string[]) =>
    (await operateJson({}, args, (_settings, words) => operateHere(async () => kassa.ctx, words))).answer

  test.each([
    ['https://магазин.рф', 'https://xn--80aairftm.xn--p1ai'],
    ['https://Магазин.рф:8443', 'https://xn--80aairftm.xn--p1ai:8443'],
    ['https://խանութ.հայ', 'https://xn--y9aqk1bk4d.xn--y9a3aq'],
    // Other mistakes stay in the text, because the message says how to correct them.
    ['https://магазин.рф/', 'https://магазин.рф/'],
    ['магазин.рф', 'магазин.рф'],
    ['https://shop.example', 'https://shop.example'],
  ])('%s', (typed, origin) => expect(asBrowsersSend(typed)).toBe(origin))

  test('is added, allowed for a button and taken back as people write it', async () => {
    const { merchantId, publicKey } = await openShop(kassa.ctx)
    const [typed, origin] = ['https://խանութ.հայ', 'https://xn--y9aqk1bk4d.xn--y9a3aq']
    const at = ['--merchant', merchantId, '--origin', typed]
    expect(await run('origin', 'add', ...at)).toMatchObject({ origin, origins: [origin] })
    expect(await run('origin', 'remove', ...at)).toMatchObject({ origins: [] })
    const key = ['--installation', publicKey, '--origin', typed]
    expect((await run('installation', 'allow', ...key)).origins).toContain(origin)
    expect((await run('installation', 'forbid', ...key)).origins).not.toContain(origin)
    const wrong = await run('origin', 'add', '--merchant', merchantId, '--origin', 'https://*.рф')
    expect(wrong.error.message).toContain('is not an exact origin')
  })
})
