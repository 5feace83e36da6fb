import { expect, test } from 'vitest'
import { plainAddress } from './settings.ts'

test.each([
  'https://bank.example/VPOS/',
  'https://BANK.example:443/VPOS/',
  'HTTPS://bank.example./VPOS/',
  'https://bank.example/VPOS/./',
  'https://bank.example/other/%2e%2E//VPOS//',
  'https://bank.example/%56POS/',
  'https://bank.example/VP%4f%53/',
])('%s is the same address however it is spelled', (spelled) => {
  expect(plainAddress(spelled)).toBe('https://bank.example/VPOS/')
})

test.each(['Shop:1', 'https-shop', 'https://bank.example:8443/VPOS/', 'https://bank.example/vpos/'])(
  '%s stays as it is',
  (value) => {
    expect(plainAddress(value)).toBe(value)
  },
)

test('what is encoded because it means something stays encoded', () => {
  expect(plainAddress('https://bank.example/a%2fb%C3%a9/')).toBe('https://bank.example/a%2Fb%C3%A9/')
})
