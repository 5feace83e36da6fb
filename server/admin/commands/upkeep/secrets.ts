/** `secrets`: the key that seals webhook secrets and credentials in the database. */
import { AppError } from '../../../errors.ts'
import { rotateEverySecret } from '../../../operator/rotate-secrets.ts'
import { listKnownKeyIds } from '../../../secrets/keys.ts'
import { discardKey } from '../../../storage/used-keys.ts'
import { ADMIN, databaseVerb, type Noun, verb } from '../../command.ts'
import { required } from '../../flag.ts'
import { counted, paragraphs } from '../../layout.ts'

const rotate = verb({
  name: 'rotate',
  needs: 'administrator',
  // It also reaches a world that is not served here.
  recorded: 'before',
  summary: 'Seal all stored secrets anew under the newest key',
  flags: {},
  examples: [''],
  async run(_ctx, _values, { worlds }) {
    const rotated = await rotateEverySecret(worlds)
    const keyId = worlds.sandbox.vault.keyId
    const total = Object.values(rotated).reduce((sum, count) => sum + count, 0)
    const text = paragraphs(
      total > 0
        ? `${counted(total, 'secret')} sealed anew under the key ${keyId}.`
        : `Every secret is sealed under the newest key, ${keyId}, already.`,
      'Older keys open nothing any more. Remove them from SECRETS_KEY, and restart the service.',
    )
    return { json: { keyId, rotated }, text }
  },
})

const discard = databaseVerb({
  name: 'discard',
  needs: 'administrator',
  summary: 'Delete the secrets under a key that is lost',
  flags: { key: required('ID', 'the id of the lost key, as the start names it') },
  examples: ['--key 1f0c9a52d7e4'],
  async run({ config, dataDir, main, worlds, open }, { key }) {
    if ((await listKnownKeyIds(config, dataDir)).includes(key))
      throw new AppError('validation_failed', {
        message: `The key ${key} is not lost: these settings have it, and it opens its secrets. Nothing was deleted.`,
      })
    const discarded: Record<string, { merchants: string[]; accounts: string[] }> = {}
    for (const world of worlds)
      discarded[world] = await discardKey(world === config.mode ? main.db : open(world).db, key)
    const lines = Object.entries(discarded).flatMap(([world, { merchants, accounts }]) => [
      ...merchants.map((id) => `  ${ADMIN} callback rotate-secret --merchant ${id} --${world}`),
      ...accounts.map((id) => `  ${ADMIN} account rotate --account ${id} --set NAME=@FILE --${world}`),
    ])
    const text =
      lines.length > 0
        ? `Everything under the key ${key} was deleted. Make each of these secrets anew, and give the merchants theirs:\n${lines.join('\n')}`
        : `Nothing is sealed under the key ${key}. Nothing was deleted.`
    return { json: { key, discarded }, text }
  },
})

export const secrets: Noun = {
  name: 'secrets',
  summary: 'Replace the key that seals stored secrets',
  verbs: [rotate, discard],
}
