import { expect, test } from 'vitest'
import type { InstallationRecord } from '../storage/installations.ts'
import { diagnoseOrigin } from './diagnosis.ts'

const INSTALLATION: InstallationRecord = {
  merchantId: 'mer_1',
  id: 'ins_1',
  publicKey: 'kpk_1',
  origins: ['https://shop.example', 'https://pay.shop.example:8443'],
  returnUrl: 'https://shop.example/thanks',
  provider: 'route_b',
  createdAt: new Date(0),
  revokedAt: null,
}

test('an exact origin is allowed, and nothing is to be mended', () => {
  expect(diagnoseOrigin(INSTALLATION, 'https://shop.example')).toMatchObject({ allowed: true, remedy: null })
})

test.each([
  ['http://shop.example', /scheme is http, registered is https/],
  ['https://www.shop.example', /www\.shop\.example and shop\.example are two origins/],
  ['https://shop.example:8443', /port is 8443, registered is 443 \(the default\)/],
  ['https://pay.shop.example', /closest that is, "https:\/\/pay\.shop\.example:8443".*port is 443/],
  ['https://shop.example/', /ends with a slash\. It sends "https:\/\/shop\.example"/],
  ['https://Shop.example', /upper-case/],
  ['HTTPS://shop.example', /upper-case/],
  ['https://shop.example:443', /default port/],
  ['https://shop.example/cart?x=1', /goes on after the host/],
  ['shop.example', /lacks the scheme/],
  [' https://shop.example', /spaces around/],
  ['https://me@shop.example', /user name/],
  ['https://սուրճ.example', /not in ASCII\. It sends "https:\/\/xn--/],
  ['https://other.example', /host is other\.example/],
  ['null', /opened from a file/],
  ['file:///shop.html', /not the origin of a web page/],
  ['', /not the origin of a web page/],
])('%j is refused, and it is said what differs', (origin, reason) => {
  const { allowed, findings, remedy } = diagnoseOrigin(INSTALLATION, origin)
  expect(allowed).toBe(false)
  expect(findings.join('\n')).toMatch(reason)
  expect(remedy?.advice).toBeTruthy()
})

test('a revoked installation allows nothing, and its successor keeps its settings', () => {
  const { allowed, findings, remedy } = diagnoseOrigin(
    { ...INSTALLATION, revokedAt: new Date(1) },
    'https://shop.example',
  )
  expect(allowed).toBe(false)
  expect(findings[0]).toMatch(/revoked/)
  expect(remedy?.commands).toEqual([
    'npm run -s admin -- installation create --merchant mer_1 --origin https://shop.example --origin https://pay.shop.example:8443 --return-url https://shop.example/thanks --route route_b',
  ])
})

test("a stranger's origin cannot smuggle anything into the command that is printed", () => {
  const { remedy } = diagnoseOrigin(INSTALLATION, "https://a;$(id)`id`'b.example")
  expect(remedy?.commands[0]).toContain(`--origin 'https://a;$(id)\`id\`'\\''b.example'`)
})
