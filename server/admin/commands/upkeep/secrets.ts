/** `secrets`: the key that seals webhook secrets and credentials in the database. */

import { rotateSecrets } from '../../../operator/rotate-secrets.ts'
import { listWorlds } from '../../../worlds.ts'
import { type Noun, verb } from '../../command.ts'
import { counted, paragraphs } from '../../layout.ts'

const rotate = verb({
  name: 'rotate',
  summary: 'Seal all stored secrets anew under the newest key',
  flags: {},
  examples: [''],
  async run(_ctx, _values, { worlds }) {
    const rotated: Record<string, number> = {}
    for (const ctx of listWorlds(worlds)) rotated[ctx.world] = await rotateSecrets(ctx)
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

export const secrets: Noun = {
  name: 'secrets',
  summary: 'Rotate the key that seals stored secrets',
  verbs: [rotate],
}
