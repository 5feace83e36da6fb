import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createInstallation } from '../../merchants/installation.ts'
import { setProduct } from '../../merchants/product.ts'
import { createMerchant } from '../../operator/create-merchant.ts'
import { clickWidget } from '../../testing/calls.ts'
import { expectWithin } from '../../testing/expect-within.ts'
import { SECRETS_KEY, SHOP_ORIGIN } from '../../testing/harness.ts'
import { operate, operateJson, operateProcess } from '../../testing/operator.ts'
import { openScene } from '../../testing/scene.ts'

const { kassa, shop } = await openScene()
const settings = { DATABASE_URL: kassa.databaseUrl, SECRETS_KEY }
const of = ['--installation', shop.installationId]

test('an origin can be allowed and forbidden, each within a second', async () => {
  const origin = 'https://www.shop.example'
  let clicks = 0
  const at = async () => {
    const body = { clientReference: `further-${++clicks}`, returnUrl: `${SHOP_ORIGIN}/thanks` }
    return (await clickWidget(kassa.url, shop, { origin, body })).status
  }
  expect(await at()).toBe(403)
  const allow = ['installation', 'allow', '--installation', shop.publicKey, '--origin', origin]
  expect((await operateJson(settings, allow)).answer.origins).toEqual([SHOP_ORIGIN, origin])
  expect((await operateJson(settings, allow)).answer.origins).toEqual([SHOP_ORIGIN, origin])
  await expectWithin(1_000, at, 201)
  const forbid = ['installation', 'forbid', ...of, '--origin', origin]
  expect((await operateJson(settings, forbid)).answer.origins).toEqual([SHOP_ORIGIN])
  await expectWithin(1_000, at, 403)
})

test('a change that would break an installation is rejected with the next step', async () => {
  const { merchantId } = shop
  const single = await createInstallation(kassa.ctx, { merchantId, origins: ['https://a.example'] })
  const { id } = single
  const output = await Promise.all([
    operate(settings, ['installation', 'allow', ...of, '--origin', 'https://shop.example/']),
    operate(settings, ['installation', 'forbid', ...of, '--origin', 'https://other.example']),
    operate(settings, ['installation', 'forbid', ...of, '--origin', SHOP_ORIGIN]),
    operate(settings, ['installation', 'forbid', '--installation', id, '--origin', 'https://a.example']),
  ])
  expect(output.map(({ code }) => code)).toEqual([1, 1, 1, 1])
  const expected = [/Write https:\/\/shop\.example/, /is not one of/, /come back to/, /installation revoke/]
  for (const [index, pattern] of expected.entries()) expect(output[index]?.stderr).toMatch(pattern)
  await operate(settings, ['installation', 'revoke', '--installation', id])
  const late = await operate(settings, [
    'installation',
    'allow',
    '--installation',
    id,
    '--origin',
    SHOP_ORIGIN,
  ])
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('is revoked') })
})

test('the channel settings contain what a site builder needs in every format, and never a secret', async () => {
  const neighbour = await createMerchant(kassa.ctx, { name: 'Neighbour' })
  const rest = { amountMinor: 100, currency: 'USD', provider: 'route_b' } as const
  await setProduct(kassa.ctx, { merchantId: neighbour.merchantId, id: 'theirs', name: 'Theirs', ...rest })
  const hostile = '</code><script>alert(1)</script>'
  await setProduct(kassa.ctx, { merchantId: shop.merchantId, id: 'wild', name: hostile, ...rest })
  const ask = ['installation', 'settings', ...of]
  const [json, asJson, asHtml, asText] = await Promise.all([
    operateJson(settings, ask),
    operate(settings, [...ask, '--format', 'json', '--product', 'wild']),
    operate(settings, [...ask, '--format', 'html']),
    operate(settings, ask),
  ])
  expect(json.answer).toMatchObject({
    ok: true,
    publicKey: shop.publicKey,
    origins: [SHOP_ORIGIN],
    returnUrl: `${SHOP_ORIGIN}/thanks`,
    script: { moving: expect.stringMatching(/\/widget\/v1\/kassa\.js$/) },
    installPage: expect.stringContaining(`/install/${shop.publicKey}`),
  })
  expect(json.answer.products[1]).toMatchObject({
    id: 'tea',
    name: 'Tea',
    price: '19.00 USD',
    payUrl: expect.stringContaining(`/pay/${shop.publicKey}/tea`),
  })
  expect(json.answer.snippets.map(({ platform }: { platform: string }) => platform)).toContain('shopify')
  expect(JSON.parse(asJson.stdout)).toMatchObject({ snippetsFor: 'wild' })
  expect(asHtml.stdout).toMatch(/^<!doctype html>/)
  expect(asHtml.stdout).not.toContain('<script')
  const everything = JSON.stringify(json.answer) + asJson.stdout + asHtml.stdout + asText.stdout
  const secrets = [shop.token, shop.webhookSecret, shop.webhookSecret.slice('whsec_'.length)]
  for (const secret of [...secrets, shop.merchantId, neighbour.merchantId, 'theirs', 'route_'])
    expect(everything).not.toContain(secret)
  expect(everything).not.toMatch(/ksk_|whsec_|mer_/)
})

test('the doctor also checks a policy and a return URL', async () => {
  const ask = ['installation', 'doctor', ...of, '--origin', SHOP_ORIGIN]
  const fine = await operateJson(settings, [
    ...ask,
    '--csp',
    'script-src *; connect-src *',
    '--return-url',
    '/thanks',
  ])
  expect(fine).toMatchObject({ code: 0, answer: { policy: { ok: true }, return: { ok: true } } })
  const blocked = await operateJson(settings, [...ask, '--csp', "default-src 'self'"])
  expect(blocked).toMatchObject({ code: 1, answer: { allowed: true, error: { code: 'policy_blocks' } } })
  const astray = await operate(settings, [...ask, '--return-url', 'https://evil.example/'])
  expect(astray).toMatchObject({ code: 1, stdout: expect.stringContaining('https://evil.example') })
})

test('the doctor reads a snippet from a file, and reports missing encryption', {
  tags: ['long'],
}, async () => {
  const ask = ['installation', 'doctor', ...of, '--origin', SHOP_ORIGIN]
  const { answer } = await operateJson(settings, ['installation', 'settings', ...of])
  const [{ code: html }] = answer.snippets
  const folder = await mkdtemp(join(tmpdir(), 'kassa-snippet-'))
  try {
    const file = join(folder, 'shop.html')
    const look = async (text: string, more: Record<string, string> = {}) => {
      await writeFile(file, text)
      return operateJson({ ...settings, ...more }, [...ask, '--snippet', file])
    }
    const page = `<!doctype html><title>Shop</title><body>${html}</body>`
    expect(await look(page)).toMatchObject({ code: 0, answer: { snippet: { ok: true } } })
    const broken = await look(page.replace(shop.publicKey, 'kpk_0'))
    expect(broken).toMatchObject({ code: 1, answer: { allowed: true, error: { code: 'snippet_broken' } } })
    // The doctor checks the return URL of the snippet as if it was given as a flag.
    const astray = await look(page.replace('<kassa-pay', '<kassa-pay return-url="https://evil.example/"'))
    expect(astray).toMatchObject({ code: 1, answer: { error: { code: 'return_url_not_allowed' } } })
    const mixed = await look(page, { BASE_URL: 'http://pay.example' })
    expect(mixed).toMatchObject({ code: 1, answer: { error: { code: 'mixed_content' } } })
  } finally {
    await rm(folder, { recursive: true })
  }
  // A command in this process would read the standard input of the tests.
  const nothing = await operateProcess(settings, [...ask, '--snippet', '-'])
  expect(nothing).toMatchObject({ code: 1, stdout: expect.stringContaining('no pay button') })
  const unread = await operate(settings, [...ask, '--snippet', '/no/such/page.html'])
  expect(unread).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot be read \(ENOENT\)/) })
})
