/** Branding as an operator sets it and as buyers see it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { createSession, readPage } from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { operateHere } from '../testing/operator.ts'
import { createToken, tokenRequest } from '../testing/payments/subscriptions.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()
const folder = await mkdtemp(join(tmpdir(), 'kassa-brand-'))
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function brand(...args: string[]) {
  const output = await operateHere(
    async () => kassa.ctx,
    ['merchant', 'brand', '--merchant', shop.merchantId, ...args, '--json'],
  )
  return { code: output.code, answer: JSON.parse(output.stdout) }
}
async function fileOf(name: string, content: Buffer | string) {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}
const paint = (width: number, height: number, background = '#c2185b') =>
  sharp({ create: { width, height, channels: 4, background } })

const payPage = (locale = 'en') => readPage(`${kassa.url}/pay/${shop.publicKey}/tea`, locale)

test('a page shows the name, the contacts, the tax number and the terms in its language', async () => {
  const parts = ['--name', 'Mountain Tea', '--name-ru', 'Горный чай', '--phone', '+374 10 123456']
  const more = [
    '--email',
    'help@shop.example',
    '--site',
    'https://www.shop.example',
    '--tax-number',
    '01234567',
  ]
  const { code, answer } = await brand(
    ...parts,
    ...more,
    '--terms-url',
    'https://shop.example/terms',
    '--colour',
    '1F6FEB',
  )
  expect([code, answer.branding.colour]).toEqual([0, '#1f6feb'])
  await expectWithin(1_500, async () => (await payPage()).html.includes('Mountain Tea'), true)
  const { html } = await payPage()
  for (const part of [
    'tel:+37410123456',
    'mailto:help@shop.example',
    '01234567',
    'href="https://shop.example/terms"',
    '/brand/1f6feb.css',
  ])
    expect(html).toContain(part)
  const russian = await payPage('ru')
  expect(russian.html).toContain('Горный чай')
  expect(russian.html).not.toContain('Mountain Tea')
  const session = await createSession(kassa.url, shop, { key: 'branded' })
  const checkout = await readPage(new URL(new URL(session.body.checkoutUrl).pathname, kassa.url).href)
  expect(checkout.html).toContain('Mountain Tea')
})

test('the bank and the page of a saved card show the name that buyers know', async () => {
  await brand('--name', 'Mountain Tea')
  await expectWithin(1_500, async () => (await payPage()).html.includes('Mountain Tea'), true)
  const { body } = await createSession(kassa.url, shop, { key: 'named-bank' })
  expect((await readPage(body.providerCheckoutUrl)).html).toContain('Mountain Tea')
  const saving = await createToken(kassa.url, shop, { body: tokenRequest({ returnUrl: undefined }) })
  expect((await readPage(saving.body.setupUrl)).html).toContain('Mountain Tea')
  const { html } = await readPage(`${kassa.url}/payment-method-tokens/${saving.body.token.id}/return`)
  for (const part of ['Mountain Tea', 'token_pending', 'tel:+37410123456']) expect(html).toContain(part)
})

test('times on the page are in the zone of the shop, and the zone is named', async () => {
  const body = {
    merchantOrderId: 'zone',
    amountMinor: 1900,
    currency: 'USD',
    returnUrl: 'https://shop.example/thanks',
  }
  const { body: session } = await createSession(kassa.url, shop, { key: 'zone', body })
  const page = new URL(session.checkoutUrl).pathname
  const timeOf = async () =>
    /Pay before<\/dt><dd><bdi>([^<]+)/.exec((await readPage(kassa.url + page)).html)?.[1]
  expect(await timeOf()).toMatch(/GMT\+4$/)
  await brand('--time-zone', 'Asia/Tokyo')
  await expectWithin(1_500, async () => (await timeOf())?.replace(/.*(GMT.*)/, '$1'), 'GMT+9')
})

test('without a flag the branding is shown, a change keeps all other parts, and a part can be removed', async () => {
  const { answer } = await brand()
  expect(answer.branding).toMatchObject({ name: 'Mountain Tea', taxNumber: '01234567' })
  await brand('--phone', '+374 10 654321')
  expect((await brand()).answer.branding).toMatchObject({ name: 'Mountain Tea', phone: '+374 10 654321' })
  expect((await brand('--remove', 'phone', 'tax-number')).answer.branding).not.toHaveProperty('phone')
})

describe('a logo', () => {
  test('is encoded anew: small, without anything that stood in the file beside its pixels', async () => {
    const exif = { IFD0: { Copyright: 'SECRET-PLACE' } }
    const photo = await paint(2_000, 800).jpeg().withExif(exif).toBuffer()
    expect(photo.includes('SECRET-PLACE')).toBe(true)
    const { answer } = await brand(
      '--logo',
      await fileOf('photo.jpg', Buffer.concat([photo, Buffer.from('<script>1</script>')])),
    )
    expect(answer.branding.logo).toMatchObject({ width: 512, height: 205 })
    const served = await fetch(kassa.url + new URL(answer.branding.logo.url).pathname)
    const bytes = Buffer.from(await served.arrayBuffer())
    expect([bytes.includes('SECRET-PLACE'), bytes.includes('<script>')]).toEqual([false, false])
    expect((await sharp(bytes).metadata()).format).toBe('png')
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      // Without it a browser blocks the logo of a mail in webmail.
      'cross-origin-resource-policy': 'cross-origin',
    })
    await expectWithin(
      1_500,
      async () => (await payPage()).html.includes(new URL(answer.branding.logo.url).pathname),
      true,
    )
  })

  test('that is white stands on a dark ground', async () => {
    const mark = await paint(50, 50, '#ffffff').png().toBuffer()
    const white = await paint(100, 100, '#00000000')
      .composite([{ input: mark }])
      .png()
      .toBuffer()
    const { answer } = await brand('--logo', await fileOf('white.png', white))
    expect(answer.branding.logo.ground).toBe('dark')
  })

  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
  test.each([
    ['an SVG', async () => SVG, 'must be a PNG'],
    [
      'an SVG behind the first bytes of a PNG',
      async () => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(SVG)]),
      'cannot be read',
    ],
    ['a page', async () => '<!doctype html><script>1</script>', 'must be a PNG'],
    ['a TIFF', () => paint(9, 9).tiff().toBuffer(), 'must be a PNG'],
    [
      'half of a PNG',
      async () => (await paint(300, 300).png({ compressionLevel: 0 }).toBuffer()).subarray(0, 9_000),
      'cannot be read',
    ],
    ['a picture of 36 million pixels', () => paint(6_000, 6_000).png().toBuffer(), 'cannot be read'],
    ['more than 5 MB', async () => Buffer.alloc(5 * 1024 * 1024 + 1, 0xff), 'at most 5 MB'],
  ])('is refused: %s', async (name, make, why) => {
    const before = (await brand()).answer.branding.logo
    const { code, answer } = await brand('--logo', await fileOf(`${name.length}.png`, await make()))
    expect([code, answer.error.message]).toEqual([1, expect.stringContaining(why)])
    expect((await brand()).answer.branding.logo).toEqual(before)
  })
})

test('wrong parts are refused together, each with what it should be', async () => {
  const wrong = [
    '--colour',
    'reddish',
    '--phone',
    'call me',
    '--email',
    'a@b',
    '--site',
    'javascript:alert(1)',
    '--time-zone',
    'Mars/Base',
  ]
  const { code, answer } = await brand(...wrong)
  expect(code).toBe(1)
  for (const part of ['colour', 'telephone number', 'e-mail address', 'site', 'time zone'])
    expect(answer.error.message).toContain(`The ${part} must be`)
})

test('addresses of brands are exact, and name nothing else', async () => {
  const sheet = await fetch(`${kassa.url}/brand/1f6feb.css`)
  expect([sheet.status, sheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  const { answer } = await brand('--logo', await fileOf('plain.png', await paint(64, 64).png().toBuffer()))
  const logo = new URL(answer.branding.logo.url).pathname
  for (const path of [
    '/brand/1F6FEB.css',
    '/brand/red.css',
    '/brand/1f6feb',
    '/brand/1f6feb.css.css',
    logo.replace('.png', '.webp'),
    logo.replace('.png', ''),
    `/pictures/${'0'.repeat(40)}.png`,
  ])
    expect([path, (await fetch(kassa.url + path)).status]).toEqual([path, 404])
})
