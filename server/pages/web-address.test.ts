import { expect, test } from 'vitest'
import { ownOrWebAddress, webAddress } from './web-address.ts'

const HOSTILE = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example/',
  '/\\evil.example/',
  '/\n/evil.example/',
  'shop.example',
  '',
]

test.each(HOSTILE)('%j is removed', (address) => {
  expect(webAddress(address)).toBeUndefined()
  expect(ownOrWebAddress(address)).toBeUndefined()
})

test('http and https addresses pass', () => {
  expect(webAddress('https://shop.example/thanks?a=1&b=2')).toBe('https://shop.example/thanks?a=1&b=2')
  expect(webAddress('http://localhost:3000/demo/')).toBe('http://localhost:3000/demo/')
})

test('a path passes only if our own pages are allowed', () => {
  expect(ownOrWebAddress('/pay/p_1?lang=hy')).toBe('/pay/p_1?lang=hy')
  expect(webAddress('/pay/p_1')).toBeUndefined()
})

test('a quote in an address cannot leave its attribute', () => {
  expect(webAddress('https://shop.example/"><script>')).toBe('https://shop.example/%22%3E%3Cscript%3E')
})
