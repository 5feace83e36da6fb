/** The settings of an account on the command line: NAME=VALUE, or NAME=@FILE for a value that no shell history should keep. */
import type { Confirm } from '../../accounts/set.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { askIdentity, type Identity } from '../../operator/account-identity.ts'
import { several, toggle } from '../flag.ts'
import { readGivenFile } from '../given-file.ts'

export const SETTINGS = several(
  'NAME=VALUE',
  'a setting of the driver; NAME=@FILE reads the value from a file, and NAME=@- from standard input, so that the shell does not keep it',
)

export const UNCHECKED = toggle('store the credentials even if the provider does not say whose they are')

/**
 * Returns a function that asks the provider whose credentials these are, before they are stored. `unchecked`: they are also stored
 * if the provider does not say whose they are. The function throws AppError validation_failed if they belong to another contract, or
 * are not accepted.
 */
export function confirmIdentity(ctx: Context, { unchecked }: { unchecked: boolean }): Confirm {
  return async (account) => {
    const found = await askIdentity(ctx, account)
    if (found.kind === 'own' || (found.kind === 'unknown' && unchecked)) return
    throw new AppError('validation_failed', { message: `${explain(found)} Nothing was changed.` })
  }
}

function explain(found: Exclude<Identity, { kind: 'own' }>): string {
  switch (found.kind) {
    case 'other':
      return `These credentials belong to ${found.identity}, and not to ${found.named}. Another contract is another account: use account set for it.`
    case 'refused':
      return `The provider does not accept these credentials: ${found.message}`
    case 'unknown':
      return `The provider did not say whose credentials these are: ${found.message} If you know whose they are, add --unchecked.`
  }
}

/** @throws AppError validation_failed for a text that is not NAME=VALUE, a name that is given twice, or a file that cannot be read */
export async function readSettings(given: string[]): Promise<Record<string, string>> {
  const written: Record<string, string> = {}
  for (const text of given) {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.+)$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw new AppError('validation_failed', {
        message: `--set must be NAME=VALUE with the name in capital letters, not "${text.replace(/=.*/s, '=...')}".`,
      })
    if (Object.hasOwn(written, name))
      throw new AppError('validation_failed', { message: `--set ${name} is given more than once.` })
    written[name] = value.startsWith('@') ? (await readGivenFile(value.slice(1))).toString().trim() : value
  }
  return written
}
