#!/bin/bash
# Resolve a folder on several nodes of a Slurm cluster: sbatch deploy/ray/slurm.sh INPUT OUTPUT
# coindex[ray] is installed in ~/coindex (python -m venv), which all nodes can read, as the input and the output.
#SBATCH --job-name=coindex
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=32G
#SBATCH --time=08:00:00
#SBATCH --requeue
set -euo pipefail

input=${1:?usage: sbatch slurm.sh INPUT OUTPUT}
output=${2:?usage: sbatch slurm.sh INPUT OUTPUT}
source "$HOME/coindex/bin/activate"
export RAY_USAGE_STATS_ENABLED=0
# Sockets of Ray are in its temporary folder, and their paths can have 107 characters only.
temporary=/tmp/ray-$SLURM_JOB_ID

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
port=$((20000 + SLURM_JOB_ID % 10000)) # several jobs can share a node
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | awk '{print $1}'):$port

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
srun --nodes=1 --ntasks=1 --nodelist="$head" --overlap \
    ray start --head --block --include-dashboard=false --port="$port" --node-ip-address="${address%:*}" \
    --num-cpus="$SLURM_CPUS_PER_TASK" --temp-dir="$temporary" &
until ray health-check --address "$address" 2>/dev/null; do
    kill -0 $! # ends the job if the head could not start
    sleep 2
done
if ((SLURM_JOB_NUM_NODES > 1)); then
    srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --exclude="$head" --overlap \
        ray start --block --address="$address" --num-cpus="$SLURM_CPUS_PER_TASK" &
fi

# After a timeout or a failed node, Slurm requeues the job, and finished shards are skipped.
srun --nodes=1 --ntasks=1 --nodelist="$head" --overlap \
    coindex resolve "$input" -o "$output" --engine ray --address "$address"
