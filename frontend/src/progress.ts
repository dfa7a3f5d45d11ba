// Polls the state of a submission: shows its progress, and reloads the page when the state changes.

interface State {
  state: string
  text: string
}

const SECONDS = 2

async function follow(note: HTMLElement): Promise<void> {
  try {
    const answer = await fetch(note.dataset.watch!)
    if (!answer.ok) return
    const current = (await answer.json()) as State
    if (current.state !== note.dataset.state) {
      location.reload()
      return
    }
    if (note.textContent !== current.text) note.textContent = current.text
  } catch {
    // The network may be down; try again later.
  }
  setTimeout(() => void follow(note), SECONDS * 1000)
}

for (const note of document.querySelectorAll<HTMLElement>("[data-watch]")) {
  setTimeout(() => void follow(note), SECONDS * 1000)
}
