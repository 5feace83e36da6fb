import { expect, test } from 'vitest'
import { AppError } from '../errors.ts'
import { describeError } from './log.ts'

test('the log contains the type, code and place of an error, and none of its other data', () => {
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

test('an error that is its own cause is logged, and a value that is not an error is logged only by its type', () => {
  const endless = new Error('round')
  endless.cause = endless
  expect(JSON.stringify(describeError(endless)).length).toBeLessThan(2_000)
  expect(describeError('4242424242424242')).toEqual({ type: 'string', message: '' })
})
