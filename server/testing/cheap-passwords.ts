/** Lets a test file sign in many people without the time that a password costs. `access/password.test.ts` keeps the real figures. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, vi } from 'vitest'

/** One part in six thousand of the work that we ask for. */
const CHEAP = { N: 16, p: 1 }

type Scrypt = (
  password: string,
  salt: Buffer,
  length: number,
  options: crypto.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => void

/** From here to the end of the test file scrypt does less work than it is asked for. What is stored names the figures that were asked for. */
export function makePasswordsCheap(): void {
  const scrypt: Scrypt = crypto.scrypt
  const cheap: Scrypt = (password, salt, length, options, done) =>
    scrypt(password, salt, length, { ...options, ...CHEAP }, done)
  beforeAll(() => {
    vi.spyOn(crypto, 'scrypt').mockImplementation(cheap as never)
    syncBuiltinESMExports()
  })
  // Other test files share the process.
  afterAll(() => {
    vi.mocked(crypto.scrypt).mockRestore()
    syncBuiltinESMExports()
  })
}
