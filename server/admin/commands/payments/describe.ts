/** One payment with its history, as several commands print it. */
import type { Context } from '../../../context.ts'
import { getTimeline } from '../../../operator/payment-timeline.ts'
import { presentTimeline } from '../../../operator/payment-view.ts'
import { findStory } from '../../../operator/telling/story.ts'
import { paragraphs } from '../../layout.ts'
import { timelineText } from '../../payment-text.ts'
import { explainStatus } from '../../status-text.ts'
import { storyText } from '../../story-text.ts'

export async function describe(ctx: Context, id: string) {
  const timeline = await getTimeline(ctx, id)
  const explained = explainStatus(ctx, timeline)
  const story = await findStory(ctx, timeline)
  const sentence = storyText(story)
  return {
    json: { sentence, timeZone: story.timeZone, ...presentTimeline(ctx, timeline), ...explained },
    text: paragraphs(sentence, timelineText(ctx, timeline, explained)),
  }
}
