import { expect, test } from 'vitest'
import { checkSettings } from './check.ts'

const read = (SMTP_URL: string) => checkSettings({ SMTP_URL, MAIL_FROM: 'receipts@pay.example' })

test.each([
  ['smtp://mail.example', { host: 'mail.example', port: 587, isEncrypted: false, isLoopback: false }],
  ['smtps://mail.example', { host: 'mail.example', port: 465, isEncrypted: true, isLoopback: false }],
  ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, isEncrypted: false, isLoopback: true }],
  ['smtp://[::1]:25/', { host: '::1', port: 25, isEncrypted: false, isLoopback: true }],
  [
    'smtp://localhost.evil.example',
    { host: 'localhost.evil.example', port: 587, isEncrypted: false, isLoopback: false },
  ],
  [
    'smtps://me%40mail.example:p%3Aw@mail.example:4650',
    {
      host: 'mail.example',
      port: 4650,
      isEncrypted: true,
      isLoopback: false,
      login: { user: 'me@mail.example', pass: 'p:w' },
    },
  ],
])('%s is accepted', (given, server) => {
  expect(read(given)).toMatchObject({ errors: [], values: { smtpServer: server } })
})

test.each([
  'mail.example',
  'https://mail.example',
  'smtp://',
  'smtp://user@mail.example',
  'smtp://mail.example/inbox',
  'smtp://mail.example?tls.rejectUnauthorized=false',
  'smtp://user:100%@mail.example',
  'smtp://user:secret word@mail.example:x',
])('%s is rejected by a message that does not repeat it', (given) => {
  const [error = ''] = read(given).errors
  expect(error).toMatch(/^SMTP_URL: must be an /)
  expect(error).not.toContain('secret word')
})

test('SMTP_URL without MAIL_FROM is rejected, and MAIL_FROM without SMTP_URL gets a warning', () => {
  expect(checkSettings({ SMTP_URL: 'smtp://mail.example' }).errors).toEqual([
    'MAIL_FROM: must be set, because SMTP_URL is set',
  ])
  expect(checkSettings({ MAIL_FROM: 'receipts@pay.example' }).warnings).toEqual([
    'MAIL_FROM has no effect, because SMTP_URL is not set.',
  ])
  expect(checkSettings({ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Kassa <a@b.am>' }).errors).toHaveLength(
    1,
  )
})
