/** `user`: the people who operate this deployment or a shop, their personal keys and their links to the console. */

import { changeUser } from '../../../access/users.ts'
import { translateAny } from '../../../messages/translate.ts'
import { presentPerson } from '../../../operator/views/person.ts'
import { mainWorld } from '../../../worlds.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { required } from '../../flag.ts'
import { pairs, paragraphs } from '../../layout.ts'

const recover = verb({
  name: 'recover',
  needs: 'host',
  summary: 'Print a new key and link for who has lost them; needs no key',
  flags: { user: required('USER', translateAny('en', 'cli.user.user')) },
  examples: ['--user "Ani Petrosyan"'],
  async run(_ctx, { user: named }, { worlds }) {
    const { key, link, ...about } = await changeUser(mainWorld(worlds), named, { isNewKey: true, ends: true })
    const { userId, name } = presentPerson(about)
    const opened = link ? 'key_and_link' : 'key'
    const texts = {
      opened,
      admin: ADMIN,
      userId,
      lacksLink: 'false',
      suggested: 'none',
      isLinkEnded: 'false',
    }
    return {
      json: { user: presentPerson(about), ...(key && { key }), ...(link && { link }) },
      text: paragraphs(
        pairs([
          ['User', userId],
          ['Name', name],
          ['Key', key],
          ['Link', link],
        ]),
        translateAny('en', 'cli.user.next', texts),
      ),
    }
  },
})

export const user: Noun = {
  name: 'user',
  summary: 'Add, change and remove who uses the console and commands',
  verbs: [recover],
}
