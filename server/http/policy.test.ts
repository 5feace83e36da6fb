/** Checks the content security policy of every kind of response against a table of rules. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createLink, createSession, payAtBank } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'

/** One address of every kind, by its content. */
let addresses: Record<string, string>
const kassa = await openKassa()
beforeAll(async () => {
  const shop = await openShop(kassa.ctx)
  const { body: open } = await createSession(kassa.url, shop, { key: 'open' })
  const { body: paid } = await createSession(kassa.url, shop, { key: 'paid' })
  await payAtBank(paid.checkoutUrl.concat('/continue'), 'paid')
  const { body: link } = await createLink(kassa.url, shop, { key: 'link' })
  addresses = {
    checkout: open.checkoutUrl,
    paid: paid.checkoutUrl,
    link: link.paymentUrl,
    bank: open.providerCheckoutUrl,
    onward: `${open.checkoutUrl}/continue`,
    return: `${paid.checkoutUrl}/return`,
    pay: `${kassa.url}/pay/${shop.publicKey}/tea`,
    'pay, not offered': `${kassa.url}/pay/kpk_x/tea`,
    'pay, bad return': `${kassa.url}/pay/${shop.publicKey}/tea?return=x`,
    'no payment': `${kassa.url}/checkout/pay_x`,
    nothing: `${kassa.url}/nowhere`,
    broken: `${kassa.url}/checkout/%E0%A4%A`,
    styles: `${kassa.url}/pages.css`,
    reference: `${kassa.url}/docs`,
    openapi: `${kassa.url}/openapi.json`,
    api: `${kassa.url}/v1/payments`,
    health: `${kassa.url}/api/health`,
  }
})

type Policy = Map<string, string[]>

function parse(header: string): Policy {
  const directives = header.split(';').map((part) => part.trim().split(/\s+/))
  return new Map(directives.map(([name = '', ...values]) => [name, values]))
}

const isNone = (values: string[] | undefined) => values?.length === 1 && values[0] === "'none'"
/** The directives that fall back to default-src. */
const fetched = (policy: Policy, name: string) => policy.get(name) ?? policy.get('default-src')

const RULES: [string, (policy: Policy) => boolean][] = [
  ['starts from nothing', (policy) => isNone(policy.get('default-src'))],
  ['embeds no object', (policy) => isNone(fetched(policy, 'object-src'))],
  ['shows no frame', (policy) => isNone(fetched(policy, 'frame-src'))],
  ['calls nobody', (policy) => isNone(fetched(policy, 'connect-src'))],
  ['is framed by nobody', (policy) => isNone(policy.get('frame-ancestors'))],
  ['has no other base', (policy) => isNone(policy.get('base-uri'))],
  ['says where forms go', (policy) => policy.has('form-action')],
  [
    'takes styles from here alone',
    (policy) => ["'none'", "'self'"].includes(fetched(policy, 'style-src')?.join(' ') ?? ''),
  ],
  [
    'takes nothing unsafe, and nothing from everywhere',
    (policy) => ![...policy.values()].flat().some((value) => /unsafe|\*/.test(value)),
  ],
  [
    'takes data: addresses for pictures alone',
    (policy) => [...policy].every(([name, values]) => name === 'img-src' || !values.includes('data:')),
  ],
]

const NAMES = [
  'checkout',
  'paid',
  'link',
  'bank',
  'onward',
  'return',
  'pay',
  'pay, not offered',
  'pay, bad return',
  'no payment',
  'nothing',
  'broken',
  'styles',
  'reference',
  'openapi',
  'api',
  'health',
]

describe.each(NAMES)('%s', (name) => {
  test('has a policy that follows every rule, and the other headers', async () => {
    const { headers } = await fetch(addresses[name] ?? '', { redirect: 'manual' })
    const policy = parse(headers.get('content-security-policy') ?? '')
    // The documents have one script, which adds the copy buttons.
    expect(fetched(policy, 'script-src')).toEqual([name === 'reference' ? "'self'" : "'none'"])
    expect(RULES.filter(([, isKept]) => !isKept(policy)).map(([rule]) => rule)).toEqual([])
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(
      Number(/max-age=(\d+)/.exec(headers.get('strict-transport-security') ?? '')?.[1]),
    ).toBeGreaterThanOrEqual(31_536_000)
  })
})

test('every address of the table is tested', () => {
  expect(Object.keys(addresses).sort()).toEqual([...NAMES].sort())
})
