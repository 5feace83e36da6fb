import { expect, test } from 'vitest'
import type { InstallationRecord } from '../../merchants/installation.ts'
import { growthOf, LINEAR_BELOW, repeated } from '../../testing/growth.ts'
import { diagnoseEncryption, diagnoseOrigin } from './diagnosis.ts'
import { type Finding, findingText } from './finding.ts'
import { diagnosePolicy } from './policy.ts'
import { diagnoseReturn } from './return.ts'

const INSTALLATION: InstallationRecord = {
  merchantId: 'mer_1',
  id: 'ins_1',
  publicKey: 'kpk_1',
  origins: ['https://shop.example', 'https://pay.shop.example:8443'],
  returnUrl: 'https://shop.example/thanks',
  shopUrl: null,
  provider: 'route_b',
  skipsCheckout: false,
  createdAt: new Date(0),
  revokedAt: null,
}

test('an exact origin is allowed and needs no fix', () => {
  expect(diagnoseOrigin(INSTALLATION, 'https://shop.example')).toMatchObject({ allowed: true, remedy: null })
})

test.each([
  ['http://shop.example', /scheme is http, but https is registered/],
  ['https://www.shop.example', /www\.shop\.example and shop\.example are two different origins/],
  ['https://shop.example:8443', /port is 8443, but 443 is registered/],
  [
    'https://pay.shop.example',
    /closest registered origin is "https:\/\/pay\.shop\.example:8443"[\s\S]*port is 443/,
  ],
  ['https://shop.example/', /It sends "https:\/\/shop\.example"[\s\S]*ends with a slash/],
  ['https://Shop.example', /upper-case/],
  ['HTTPS://shop.example', /upper-case/],
  ['https://shop.example:443', /default port/],
  ['https://shop.example/cart?x=1', /has a path after the host/],
  ['shop.example', /scheme is missing/],
  [' https://shop.example', /spaces around/],
  ['https://me@shop.example', /user name/],
  ['https://սուրճ.example', /It sends "https:\/\/xn--[\s\S]*not in ASCII/],
  ['https://other.example', /host is other\.example/],
  ['null', /opened from a file/],
  ['file:///shop.html', /not the origin of a web page/],
  ['', /not the origin of a web page/],
])('%j is rejected, and the findings say what differs', (origin, reason) => {
  const { allowed, findings, remedy } = diagnoseOrigin(INSTALLATION, origin)
  expect(allowed).toBe(false)
  expect(findings.map((each) => findingText('en', each)).join('\n')).toMatch(reason)
  expect(remedy?.advice).toBeTruthy()
})

test.each([
  ['https://shop.example', 'http://pay.example', ['mixedContent']],
  ['http://shop.example', 'https://pay.example', ['pageUnencrypted']],
  ['http://shop.example', 'http://pay.example', ['pageUnencrypted']],
  ['https://shop.example', 'https://pay.example', []],
  ['https://shop.example', 'http://localhost:3000', []],
  ['http://localhost:8080', 'https://pay.example', []],
])('a page on %s with a server on %s has the findings %j', (page, server, expected) => {
  expect(keys(diagnoseEncryption(page, server))).toEqual(expected)
})

test('a revoked installation allows nothing, and the suggested new one keeps its settings', () => {
  const { allowed, findings, remedy } = diagnoseOrigin(
    { ...INSTALLATION, revokedAt: new Date(1) },
    'https://shop.example',
  )
  expect(allowed).toBe(false)
  expect(findings[0]?.key).toBe('revoked')
  expect(remedy?.act).toEqual({
    act: 'create_installation',
    merchantId: 'mer_1',
    origins: ['https://shop.example', 'https://pay.shop.example:8443'],
    returnUrl: 'https://shop.example/thanks',
    provider: 'route_b',
  })
})

const WANTED = {
  scriptUrl: 'https://pay.example/widget/0.2.0/kassa.js',
  apiOrigin: 'https://pay.example',
  pageOrigin: 'https://shop.example',
}
const keys = (findings: Finding[], weight?: Finding['weight']) =>
  findings.filter((each) => !weight || each.weight === weight).map(({ key }) => key)

test.each([
  ['script-src https://pay.example; connect-src https://pay.example', []],
  ["Content-Security-Policy: default-src 'none'; script-src https://pay.example/widget/; connect-src *", []],
  ["img-src 'self'", []],
  ['default-src https:', []],
  ["script-src 'self' *.example; connect-src http://pay.example:*", []],
  ["script-src 'unsafe-inline' 'self'; connect-src https://pay.example", ['policyScriptBlocked']],
  [
    'script-src https://pay.example.evil.test; connect-src pay.example:8443',
    ['policyScriptBlocked', 'policyConnectBlocked'],
  ],
  ['script-src https://pay.example/widget; connect-src https://pay.example', ['policyScriptBlocked']],
  [
    'script-src https://pay.example; script-src-elem cdn.example; connect-src wss:',
    ['policyScriptElem', 'policyConnectBlocked'],
  ],
  ["default-src 'none'; default-src *", ['policyScriptBlocked', 'policyConnectBlocked']],
  ["script-src *; connect-src *, default-src 'self'", ['policyScriptBlocked', 'policyConnectBlocked']],
  ['sandbox allow-scripts', ['policySandbox']],
  ["script-src 'nonce-abc' 'strict-dynamic'; connect-src https://pay.example", []],
  ['hello there', ['policyUnreadable']],
  ['', ['policyUnreadable']],
])('the policy %j has the blocking findings %j', (policy, expected) => {
  expect(keys(diagnosePolicy(policy, WANTED), 'bad')).toEqual(expected)
})

test('the findings include nonces, Trusted Types, style elements and a second policy', () => {
  const policy = `script-src 'strict-dynamic' 'nonce-a' https://pay.example; connect-src https://pay.example;
    require-trusted-types-for 'script'; style-src 'self'`
  const findings = diagnosePolicy(policy, WANTED)
  expect(keys(findings)).toEqual([
    'policyStrictDynamic',
    'policyConnectFine',
    'policyTypesFine',
    'policyTypesInserted',
    'policyStyle',
  ])
  expect(
    diagnosePolicy(`${policy}\nscript-src 'none'`, WANTED).find(({ weight }) => weight === 'bad'),
  ).toMatchObject({
    key: 'policyScriptBlocked',
    values: { number: '2', source: 'https://pay.example' },
  })
})

test.each([
  ['many labels', (chars: number) => `script-src ${repeated('a.')(chars)}`],
  ['a long name', (chars: number) => `${repeated('x-')(chars)} a`],
])('a policy of %s is read in time in proportion to its length', (_, policyOf) => {
  const read = (policy: string) => void diagnosePolicy(policy, WANTED)
  expect(growthOf(read, policyOf, 12_000)).toBeLessThan(LINEAR_BELOW)
})

test.each([
  ['https://shop.example/thanks', ['returnFine']],
  ['/thanks', ['returnFine']],
  ['https://www.shop.example/thanks', ['returnForeign']],
  ['http://shop.example/thanks', ['returnForeign']],
  ['https://me@shop.example/', ['returnUser']],
  ['javascript:alert(1)', ['returnNotWeb']],
  ['https://', ['returnBroken']],
  [`https://shop.example/${'a'.repeat(300)}`, ['returnLong']],
  ['', ['returnDefault']],
])('the return URL %j has the findings %j, as the widget endpoint judges it', (given, expected) => {
  expect(keys(diagnoseReturn(INSTALLATION, given, 'https://shop.example'))).toEqual(expected)
})

test('if the installation has no return URL, the page must name one', () => {
  expect(keys(diagnoseReturn({ ...INSTALLATION, returnUrl: null }, '', undefined))).toEqual(['returnMissing'])
})
