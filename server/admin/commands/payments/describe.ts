/** One payment with its history, as several commands print it. */
import type { Context } from '../../../context.ts'
import { listWaitingFor, presentProposal } from '../../../operator/approvals/listing.ts'
import { getTimeline } from '../../../operator/payment-timeline.ts'
import { presentTimeline } from '../../../operator/payment-view.ts'
import { findStory } from '../../../operator/story/story.ts'
import { ADMIN } from '../../command.ts'
import { paragraphs } from '../../layout.ts'
import { timelineText } from '../../payment-text.ts'
import { explainStatus } from '../../status-text.ts'
import { storyText } from '../../story-text.ts'

export async function describe(ctx: Context, id: string) {
  const timeline = await getTimeline(ctx, id)
  const explained = explainStatus(ctx, timeline)
  const story = await findStory(ctx, timeline)
  const sentence = storyText(story)
  const waiting = await listWaitingFor(ctx, id)
  return {
    json: {
      sentence,
      timeZone: story.timeZone,
      ...presentTimeline(ctx, timeline),
      ...explained,
      proposals: waiting.map(presentProposal),
    },
    text: paragraphs(
      sentence,
      ...waiting.map(
        ({ id: approval, what, proposer, about }) =>
          `This waits for a second person: ${what}, ${about}, proposed by ${proposer}. See: ${ADMIN} approval show --approval ${approval}`,
      ),
      timelineText(ctx, timeline, explained),
    ),
  }
}
