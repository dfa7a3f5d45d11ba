// Follows a submission on its page: tells how far it is, and loads the page anew when its state changes.

interface State {
  state: string
  text: string
}

const SECONDS = 2

async function follow(note: HTMLElement): Promise<void> {
  try {
    const answer = await fetch(note.dataset.watch!)
    if (!answer.ok) return
    const found = (await answer.json()) as State
    if (found.state !== note.dataset.state) {
      location.reload()
      return
    }
    if (note.textContent !== found.text) note.textContent = found.text
  } catch {
    // the network is away: the next look may go better
  }
  setTimeout(() => void follow(note), SECONDS * 1000)
}

for (const note of document.querySelectorAll<HTMLElement>("[data-watch]")) {
  setTimeout(() => void follow(note), SECONDS * 1000)
}
