import { expect, test } from 'vitest'
import { startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { NOUNS } from './parser.ts'

/** Runs a command whose service cannot be opened. */
function runClosed(...args: string[]) {
  return operateHere(() => Promise.reject(new Error('opened')), args)
}

test('every level has help, every summary fits on a line, and every verb shows examples', async () => {
  const top = await runClosed('--help')
  expect(top).toMatchObject({ code: 0, stderr: '' })
  for (const { name, summary, verbs } of NOUNS) {
    expect(top.stdout).toContain(summary)
    const ofNoun = await runClosed(name, '--help')
    expect(ofNoun.code).toBe(0)
    for (const verb of verbs) {
      expect(ofNoun.stdout).toMatch(new RegExp(`^ +${verb.name} `, 'm'))
      expect(ofNoun.stdout).toContain(verb.summary)
      const { code, stdout } = await runClosed(name, verb.name, '--help')
      expect(code).toBe(0)
      expect(stdout).toMatch(new RegExp(`Examples:\n +npm run -s admin -- ${name} ${verb.name}`))
      expect(stdout).toContain('--json')
    }
  }
})

test('the parser accepts every example in the help', async () => {
  for (const { name, verbs } of NOUNS)
    for (const verb of verbs)
      for (const example of verb.examples) {
        const words = (example.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
        expect(await runClosed(name, verb.name, ...words)).toMatchObject({
          stderr: expect.stringContaining('opened'),
        })
      }
})

test('an incomplete call is rejected before the service is opened, with the possible commands and flags', async () => {
  const cases: [string[], RegExp][] = [
    [[], /Say a noun and a verb[\s\S]*merchant, token/],
    [['token'], /Say what to do with the token[\s\S]*issue, rotate, set, revoke, list/],
    [['shop'], /Unknown command 'shop'[\s\S]*merchant, token/],
    [['merchant', 'creat'], /Did you mean create/],
    [['merchant', 'create', '--nam', 'x'], /Unknown option '--nam'[\s\S]*merchant create --help/],
    [['merchant', 'create', '--name'], /argument missing/],
    [['merchant', 'create', '--name', ''], /--name is empty/],
    [['merchant', 'create', '--name', 'a', '--name', 'b'], /--name is given more than once/],
    [['merchant', 'show', '--merchant', '--verbose'], /--merchant needs a value/],
    [['merchant', 'list', 'extra'], /too many arguments/i],
    [['payment', 'list', '--limit', '0'], /--limit must be a whole number from 1 to/],
    [['token', 'issue', '--merchant', 'm', '--scope', 'all'], /--scope must be one of payments.read/],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runClosed(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
  }
})

test('the error names every invalid flag at once', async () => {
  const { stderr } = await runClosed('product', 'set', '--merchant', '', '--id', 'tea', '--currency', 'GBP')
  for (const flag of [
    '--merchant is empty',
    '--name is missing',
    '--amount is missing',
    '--currency must be',
  ])
    expect(stderr).toContain(flag)
})

test('with --json in any position a failure is one JSON object on standard output', async () => {
  for (const args of [
    ['--json', 'merchant', 'create'],
    ['merchant', '--json', 'create'],
    ['merchant', 'create', '--json'],
    ['shop', '--json'],
  ]) {
    const { code, stdout } = await runClosed(...args)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      error: {
        code: 'validation_failed',
        message: expect.any(String),
        hint: expect.stringContaining('--help'),
      },
    })
  }
})

test('an unexpected failure is one line, and says how to see more', async () => {
  const { code, stderr } = await runClosed('merchant', 'list')
  expect(code).toBe(1)
  expect(stderr).toBe('opened\nRun it again with LOG_LEVEL=debug to see where it happened.\n')
})

test('every noun rejects unknown ids', async () => {
  const { ctx, close } = await startKassa()
  const calls: [string, string][] = [
    ['merchant show --merchant mer_x', 'not_found'],
    ['token issue --merchant mer_x', 'not_found'],
    ['token revoke --token tok_x', 'token_not_found'],
    ['origin add --merchant mer_x --origin https://a.example', 'not_found'],
    ['callback set --merchant mer_x --url https://a.example/', 'not_found'],
    ['product list --merchant mer_x', 'not_found'],
    ['installation list --merchant mer_x', 'not_found'],
    ['installation show --installation ins_x', 'not_found'],
    ['installation revoke --installation ins_x', 'not_found'],
    ['payment show --payment pay_x', 'payment_not_found'],
    ['payment list --merchant mer_x', 'not_found'],
    ['payment list --after pay_x', 'payment_not_found'],
  ]
  for (const [call, error] of calls) {
    const { code, stdout } = await operateHere(async () => ctx, [...call.split(' '), '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: error,
      message: expect.stringMatching(/There is no/),
    })
  }
  await close()
})
