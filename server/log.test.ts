import { expect, test } from 'vitest'
import { AppError } from './errors.ts'
import { describeError } from './log.ts'

test('of an error the log keeps kind, code and place, and nothing that it carries along', () => {
  const database = Object.assign(new Error('duplicate key\nDETAIL: (card)=(4242424242424242)'), {
    code: '23505',
    detail: 'Key (name)=(somebody)',
    client: { password: 'hidden' },
    body: '4242424242424242',
  })
  const described = describeError(new AppError('internal', { cause: database }))
  expect(described).toMatchObject({
    type: 'AppError',
    code: 'internal',
    cause: { code: '23505', message: 'duplicate key' },
  })
  expect(described.cause?.at).toContain('log.test.ts')
  expect(JSON.stringify(described)).not.toMatch(/4242|somebody|hidden/)
})

test('an error that is its own cause ends, and what is no error says only what it is', () => {
  const endless = new Error('round')
  endless.cause = endless
  expect(JSON.stringify(describeError(endless)).length).toBeLessThan(2_000)
  expect(describeError('4242424242424242')).toEqual({ type: 'string', message: '' })
})
