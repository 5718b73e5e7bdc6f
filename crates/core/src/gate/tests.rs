//! Each rule of the gate, by name.

mod script;

mod answered;
mod beside;
mod blocked;
mod broken;
mod compaction;
mod dialogs;
mod elsewhere;
mod failures;
mod handed_in;
mod held;
mod inputs;
mod launched;
mod levels;
mod lifecycle;
mod notices;
mod orphans;
mod overtaken;
mod parts;
mod process;
mod queued;
mod rules;
mod screen;
mod sessions;
mod settling;
mod shown;
mod stays;
mod stops;
mod stragglers;
mod taken;
mod turns;
mod unanswered;
mod unseen;
mod untold;
mod withdrawn;
